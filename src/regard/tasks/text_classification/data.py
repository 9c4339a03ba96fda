"""Where texts with labels come from."""

from collections.abc import Iterator

from regard.data.annotated import Example, read_labelled
from regard.data.grammar import Pair

from ..labelling.data import FileData, GrammarData

SAID = {".": "statement", "?": "question", "!": "exclamation"}
"""What a sentence is, by the mark at its end."""


class LabelledFiles(FileData):
    """Texts in files: a label and a text in columns separated by tabs or commas, or JSON."""

    columns: tuple[int | str, int | str] | None = None
    """Of label and text, counted from 1, or their names in a header or in JSON; 1 and 2, or label
    and text, if not given."""

    def read(self, path: str) -> Iterator[Example]:
        """The texts of one file."""
        return read_labelled(path, columns=self.columns)


class LabelledGrammar(GrammarData):
    """Sentences of our own grammar, English and French in turns, without the mark at their end:
    which it was (statement, question, exclamation, or phrase for none) is to be told."""

    def annotated(self, pair: Pair, number: int) -> Example:
        """A sentence without its end, and what it is."""
        words, text = (
            (pair.source, pair.source_text) if number % 2 == 0 else (pair.target, pair.target_text)
        )
        label = SAID.get(words[-1], "phrase")
        return Example(text if label == "phrase" else text[:-1].rstrip(), (label,))
