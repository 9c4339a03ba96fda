"""The two tasks: our own grammar, and pairs of one's own."""

from abc import abstractmethod
from collections.abc import Sequence
from itertools import islice
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from regard.config import Config
from regard.data.grammar import Grammar
from regard.tasks.translation import FileData, GrammarData, HeldOut

MAX_WORDS = 40
"""Longest sentences of the grammar, so that a state has something to forget."""
BUCKETS = ((1, 10), (11, 20), (21, 30), (31, 40))
FILE_EDGES = (8, 12, 16, 20, 30, 40, 50)


class Sentences(Config):
    """What is measured on."""

    @abstractmethod
    def held_out(self) -> list[HeldOut]:
        """The sentences."""

    @property
    @abstractmethod
    def edges(self) -> tuple[int, ...]:
        """The longest length of every bucket of the figure but the last."""


class GrammarTest(Sentences):
    """As many sentences of every length of the grammar's test split."""

    kind: Literal["grammar"] = "grammar"
    each: int = Field(default=250, ge=1)
    """Sentences of a bucket."""

    def held_out(self) -> list[HeldOut]:
        """With their gold alignments."""
        pairs = [
            pair
            for bucket in BUCKETS
            for pair in islice(Grammar(split="test", bucket=bucket), self.each)
        ]
        return [
            HeldOut(pair.source_text, (pair.target_text,), pair.alignment, pair.source, pair.target)
            for pair in pairs
        ]

    @property
    def edges(self) -> tuple[int, ...]:
        """The buckets it is drawn from."""
        return tuple(longest for _, longest in BUCKETS[:-1])


class FileTest(Sentences):
    """Sentences of files, each with all its references."""

    kind: Literal["files"] = "files"
    files: tuple[str, ...] = Field(min_length=1)
    """One file of pairs, or a source file and its translations."""
    most: int = Field(default=100_000, ge=1)
    """Sentences at most."""

    def held_out(self) -> list[HeldOut]:
        """In the order of the files."""
        return FileData(train=self.files, valid=self.files, valid_size=self.most).held_out()

    @property
    def edges(self) -> tuple[int, ...]:
        """Finer where most sentences are."""
        return FILE_EDGES


Test = Annotated[GrammarTest | FileTest, Field(discriminator="kind")]


class Task(NamedTuple):
    """Where models learn and are measured, and how large they are."""

    name: str
    data: GrammarData | FileData
    test: GrammarTest | FileTest
    parameters: int
    embedding_dim: int


def grammar_task(*, quick: bool) -> Task:
    """The grammar; a small one if ``quick``."""
    if quick:
        data = GrammarData(max_words=MAX_WORDS, valid_size=20, vocabulary_pairs=200, rarest_of=1)
        return Task("grammar", data, GrammarTest(each=5), parameters=400_000, embedding_dim=64)
    data = GrammarData(max_words=MAX_WORDS, vocabulary_pairs=10_000, rarest_of=1)
    return Task("grammar", data, GrammarTest(), parameters=2_000_000, embedding_dim=128)


def file_task(data: Sequence[str], test: Sequence[str], *, quick: bool) -> Task:
    """Files of pairs; a small model if ``quick``."""
    files = FileData(train=tuple(data), valid_size=20 if quick else 1000)
    measured = FileTest(files=tuple(test), most=20 if quick else 100_000)
    if quick:
        return Task("files", files, measured, parameters=1_000_000, embedding_dim=64)
    return Task("files", files, measured, parameters=7_000_000, embedding_dim=256)
