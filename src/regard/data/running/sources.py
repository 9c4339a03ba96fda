"""Where running text comes from: paragraphs, which are numbered if they never end."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import ClassVar, Literal

from pydantic import Field

from regard.errors import InputError

from ..grammar import Pair
from ..pairs.lines import composed, lines, name_of
from ..sources import ExampleFiles, Files, GrammarExamples


class TextFiles(ExampleFiles):
    """Plain text in files, a paragraph a line; .gz too."""

    examples_are: ClassVar[str] = "paragraphs"

    kind: Literal["files"] = "files"
    train: Files = Field(min_length=1)
    """Plain text to learn from, a paragraph a line; .gz too, - for stdin."""
    valid: Files = ()
    """The same to validate on; one paragraph in a hundred of the others without it."""

    def read(self, path: str) -> Iterator[str]:
        """The paragraphs of one file, blank lines left out."""
        texts = (composed(line.text).strip() for line in lines(path))
        return (text for text in texts if text)

    def key(self, example: str) -> str:
        """The paragraph itself."""
        return example

    def paragraphs(self) -> Iterable[str]:
        """Those to train on."""
        return self.examples()

    def held_out(self) -> list[str]:
        """Those to validate on, spread evenly over what there is."""
        found = self._validated()
        return found[:: -(-len(found) // self.valid_size)]

    @cached_property
    def _read(self) -> list[str]:
        found = [one for path in self.train for one in self.read(path)]
        if not found:
            raise InputError(f"{name_of(self.train[0])}: needs text, got nothing but blank lines")
        return found


class GrammarText(GrammarExamples):
    """English sentences of :mod:`regard.data.grammar`: endless, no download."""

    valid_size: int = Field(default=500, ge=1)
    """Sentences to validate on."""

    def annotated(self, pair: Pair, number: int) -> str:
        """Its English side."""
        return pair.source_text

    def paragraphs(self) -> Iterable[str]:
        """The first sentences."""
        return self.examples()

    @property
    def name(self) -> str:
        """What decides the sentences."""
        return f"English sentences of {super().name}"


Text = TextFiles | GrammarText
"""Where running text comes from."""
