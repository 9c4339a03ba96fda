"""Where annotated texts come from: files of a user, or our own grammar."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from regard.data.annotated import Example, LabelCodec
from regard.data.grammar import Pair
from regard.data.sources import ExampleFiles, GrammarExamples, Share
from regard.errors import InputError

if TYPE_CHECKING:
    from regard.data.batches import Pools

    from .batch import Batch

POOL = 2048
"""Sentences of the grammar that are sorted by length together."""


class FileData(ExampleFiles):
    """Annotated texts in files, plain or gzip, or the standard input."""

    kept_back: Share = 0.05
    """Share of the texts that is kept back without ``valid``."""
    valid_size: int = Field(default=4000, ge=1)
    """Texts to validate on at most."""

    @abstractmethod
    def read(self, path: str) -> Iterator[Example]:
        """The texts of one file."""

    def read_to_learn(self, path: str) -> Iterator[Example]:
        """The same with whatever else is learned of them."""
        return self.read(path)

    def key(self, example: Example) -> str:
        """The text."""
        return example.text

    @cached_property
    def also_known(self) -> tuple[tuple[str, ...], ...]:
        """The labels of every other kind that is learned."""
        kinds = zip(*(one.also for one in self.examples()), strict=True)
        return tuple(tuple(sorted(set(chain.from_iterable(kind)))) for kind in kinds)

    def pools(self, codec: LabelCodec, *, per_word: bool, longest: int | None) -> "Pools[Batch]":
        """All of them, in memory as numbers."""
        from regard.data.batches import FinitePools

        from .corpus import encode

        read = encode(
            self.examples(), codec, per_word=per_word, longest=longest, also=self.also_known
        )
        return FinitePools(read)

    @cached_property
    def _read(self) -> list[Example]:
        return [one for path in self.train for one in self.read_to_learn(path)]


class GrammarData(GrammarExamples):
    """Sentences of :mod:`regard.data.grammar`, annotated by the rules that made them."""

    also_known: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Nothing else is learned."""

    @abstractmethod
    def annotated(self, pair: Pair, number: int) -> Example:
        """What a rule says of one sentence."""

    def pools(self, codec: LabelCodec, *, per_word: bool, longest: int | None) -> "Pools[Batch]":
        """All of them: none is long."""
        from regard.data.batches import EndlessPools

        from .corpus import encode

        encoded = partial(encode, codec=codec, per_word=per_word)
        return EndlessPools(self.example, encoded, name=repr(self), size=POOL)


Data = FileData | GrammarData
"""Where annotated texts come from."""


def labels_of(examples: Iterable[Example], *, least: int = 1) -> tuple[str, ...]:
    """All labels, in the order of the alphabet.

    Args:
        examples: annotated texts.
        least: how often a label must come.

    Raises:
        InputError: fewer than two labels, or one that comes too seldom.
    """
    counts: Counter[str] = Counter()
    first: dict[str, Example] = {}
    for example in examples:
        counts.update(example.labels)
        for label in example.labels:
            first.setdefault(label, example)
    if len(counts) < 2:
        where = next(iter(first.values())).place if first else None
        raise InputError(f"{where or 'the data'}: needs two different labels, got {list(counts)}")
    seldom = [label for label in first if counts[label] < least]
    if seldom:
        raise InputError(
            f"{first[seldom[0]].place}: the label {seldom[0]!r} comes {counts[seldom[0]]} time in "
            f"all, and a label needs {least} to be learned; correct it, add texts, or allow it by "
            "--set task.min_label_count=1"
        )
    return tuple(sorted(counts))
