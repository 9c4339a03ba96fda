"""Where text comes from: plain files, or the English sentences of our grammar."""

from collections.abc import Iterable
from functools import cached_property
from itertools import islice
from typing import Literal

from pydantic import Field

from regard.data.grammar import Pair
from regard.data.pairs.lines import lines
from regard.data.sources import Files, FileSource, GrammarSource, Share

LONGEST_LINE = 2**30


class GrammarText(GrammarSource):
    """English sentences of our own grammar, a line each."""

    kind: Literal["grammar"] = "grammar"
    sentences: int = Field(default=20_000, ge=1)
    """How many to train on."""
    max_words: int = Field(default=10, ge=5, le=60)
    """Longest sentence, in words."""

    def train_text(self) -> str:
        """What is learned from."""
        return _text(islice(self._train, self.sentences))

    def valid_text(self) -> str:
        """What is validated on: no sentence is in both."""
        return _text(self.valid_pairs(max(1, self.sentences // 20)))

    @property
    def about(self) -> str:
        """What is generated."""
        return f"{self.sentences:,} English sentences of our grammar"

    @property
    def name(self) -> str:
        """What a model card calls it."""
        return f"regard's own grammar, English sentences of at most {self.max_words} words"


class FileText(FileSource):
    """Plain text in files, .gz too, or the standard input."""

    kind: Literal["files"] = "files"
    train: Files = Field(min_length=1)
    """Plain text, UTF-8; .gz too, - for stdin."""
    valid: Files = ()
    """The same to validate on; the end of the others is kept back without it."""
    kept_back: Share = 0.1
    """Share of the text that is kept back without ``valid``."""
    valid_characters: int = Field(default=400_000, ge=2)
    """Characters to validate on at most."""

    def train_text(self) -> str:
        """What is learned from."""
        return self._text if self.valid else self._text[: self._cut]

    def valid_text(self) -> str:
        """What is validated on.

        Raises:
            InputError: there is not enough text.
        """
        text = _read(self.valid) if self.valid else self._text[self._cut :]
        if len(text) < 2:
            raise self.too_few("characters")
        return text[: self.valid_characters]

    @property
    def about(self) -> str:
        """How much there is."""
        return f"{', '.join(self.train)}: {len(self.train_text()):,} characters"

    @cached_property
    def _text(self) -> str:
        return _read(self.train)

    @property
    def _cut(self) -> int:
        return round(len(self._text) * (1 - self.kept_back))


def _text(pairs: Iterable[Pair]) -> str:
    return "".join(f"{pair.source_text}\n" for pair in pairs)


def _read(files: tuple[str, ...]) -> str:
    """All files, one behind the other, a newline behind every line.

    Raises:
        InputError: a file that cannot be read, is empty or no UTF-8, named with its line.
    """
    return "".join(f"{line.text}\n" for path in files for line in lines(path, longest=LONGEST_LINE))
