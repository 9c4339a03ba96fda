"""Where sentences with tags come from."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BeforeValidator

from regard.data.annotated import Example, read_tagged
from regard.data.grammar import Pair

from ..labelling.data import FileData, GrammarData


def _several(value: object) -> object:
    """One alone is one of several."""
    return (value,) if isinstance(value, str | int) else value


class TaggedFiles(FileData):
    """Sentences in files: CoNLL-U, a word and its tag with a tab between, or JSON."""

    column: str | int | None = None
    """Where the tag stands: upos (if not given), xpos or deprel in CoNLL-U; a column, counted from
    1, of other files, 2 if not given; a field of JSON, tags if not given."""
    also: Annotated[tuple[str | int, ...], BeforeValidator(_several)] = ()
    """Other columns, such as xpos, feats and deprel, that are learned beside the tag for what they
    teach of it: each has an output layer of its own, which is left behind."""
    layout: Literal["conllu", "columns", "jsonl"] | None = None
    """How files are written; by their names if not given."""

    def read(self, path: str) -> Iterator[Example]:
        """The sentences of one file."""
        return read_tagged(path, layout=self.layout, column=self.column)

    def read_to_learn(self, path: str) -> Iterator[Example]:
        """The same with the other columns."""
        return read_tagged(path, layout=self.layout, column=self.column, also=self.also)


class TaggedGrammar(GrammarData):
    """Sentences of our own grammar with the part of speech of every word."""

    language: Literal["en", "fr"] = "en"
    """English or French."""

    def annotated(self, pair: Pair, number: int) -> Example:
        """The words of one side and their parts of speech."""
        if self.language == "en":
            return Example(pair.source_text, pair.source_tags, pair.source)
        return Example(pair.target_text, pair.target_tags, pair.target)
