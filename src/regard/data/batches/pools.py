"""Pools of examples: a finite corpus with epochs, or an endless source.

Rows of different lengths stand in one flat array with offsets, or padded in one tensor.
"""

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from regard.data.vocabulary.tokeniser import PAD

if TYPE_CHECKING:
    from torch import Tensor

Numbers = NDArray[np.int32]
Positions = NDArray[np.int64]


class Ragged(NamedTuple):
    """Rows of whole numbers, four bytes each and eight per row."""

    values: NDArray[Any]
    offsets: NDArray[Any]
    """Where each row starts, and where the last one ends."""

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.offsets) - 1

    def row(self, number: int) -> NDArray[Any]:
        """One row, as a view."""
        return self.values[self.offsets[number] : self.offsets[number + 1]]

    def rows(self, numbers: Positions) -> list[NDArray[Any]]:
        """Some rows, as views."""
        return [self.row(number) for number in numbers.tolist()]

    def lengths_of(self, numbers: Positions) -> Positions:
        """The length of some rows."""
        return self.offsets[numbers + 1] - self.offsets[numbers]

    @property
    def lengths(self) -> Positions:
        """The length of every row."""
        return np.diff(self.offsets)


class RaggedBuilder:
    """Collects rows one after the other."""

    def __init__(self) -> None:
        self._values = array("i")
        self._offsets = array("q", [0])

    def add(self, row: Iterable[Any]) -> None:
        """Append a row."""
        self._values.extend(row)
        self._offsets.append(len(self._values))

    def built(self) -> Ragged:
        """The rows so far."""
        return Ragged(
            np.array(self._values, dtype=np.int32), np.array(self._offsets, dtype=np.int64)
        )


def padded(
    rows: Sequence[Numbers], *, before: int | None = None, after: int | None = None
) -> "Tensor":
    """Rows (B, N) in one tensor, each with one more token before or behind it if that is given."""
    import torch

    more = (before is not None) + (after is not None)
    filled = np.full((len(rows), max(map(len, rows)) + more), PAD, dtype=np.int64)
    start = 0 if before is None else 1
    for number, row in enumerate(rows):
        filled[number, start : start + len(row)] = row
        if before is not None:
            filled[number, 0] = before
        if after is not None:
            filled[number, start + len(row)] = after
    return torch.from_numpy(filled)


B = TypeVar("B")
"""What a training step gets."""
B_co = TypeVar("B_co", covariant=True)
E = TypeVar("E")
"""One example."""


class Corpus(ABC, Generic[B_co]):
    """Examples as numbers, row by row; knows how to put some of them side by side."""

    left_out: int = 0
    """Examples that were too long."""
    mixed: bool = False
    """Whether rows stand together as they come, whatever their lengths: where padding costs little,
    and a batch is better for holding all sorts, as with batch norm."""

    @property
    @abstractmethod
    def steps(self) -> Positions:
        """The padded length that every row asks for."""

    @property
    @abstractmethod
    def counts(self) -> Positions:
        """What every row counts in a mean, such as its tokens to predict."""

    @property
    @abstractmethod
    def digest(self) -> str:
        """A short fingerprint of all numbers."""

    @abstractmethod
    def __len__(self) -> int:
        """How many examples there are."""

    @abstractmethod
    def batch(self, rows: Positions, *, indices: Positions, num_targets: int) -> B_co:
        """These rows side by side; a batch of nothing if there are none.

        Args:
            rows: which.
            indices: what they are called.
            num_targets: what the rows of the whole step count, over all ranks.
        """


@dataclass(frozen=True)
class Pool(Generic[B]):
    """Examples that are sorted by length together."""

    corpus: Corpus[B]
    rows: Positions
    """Which rows of the corpus, in which order."""
    indices: Positions
    """What each of them is called in a batch."""


@runtime_checkable
class Pools(Protocol[B]):
    """Pools by number; the same number gives the same pool, in any process."""

    @property
    @abstractmethod
    def count(self) -> int | None:
        """Pools of an epoch; ``None`` if it never ends."""

    @property
    @abstractmethod
    def identity(self) -> str:
        """Text that differs if the pools differ, as far as that can be known."""

    @property
    def left_out(self) -> int:
        """Examples that were too long for a batch."""
        return 0

    @abstractmethod
    def pool(self, epoch: int, number: int, generator: np.random.Generator | None) -> Pool[B]:
        """A pool of an epoch.

        Args:
            epoch: counted from 0.
            number: of the pool in its epoch.
            generator: of the epoch, to shuffle with; ``None`` leaves the order.
        """


class FinitePools(Pools[B]):
    """A corpus, every example once per epoch.

    Args:
        corpus: the examples.
        size: examples per pool.
    """

    def __init__(self, corpus: Corpus[B], *, size: int = 2**15) -> None:
        self.corpus = corpus
        self.size = size

    @property
    def count(self) -> int:
        """Pools of an epoch."""
        return -(-len(self.corpus) // self.size)

    @property
    def left_out(self) -> int:
        """Examples that were too long for a batch."""
        return self.corpus.left_out

    @cached_property
    def identity(self) -> str:
        """The numbers of the corpus."""
        return f"corpus {self.corpus.digest}"

    def pool(self, epoch: int, number: int, generator: np.random.Generator | None) -> Pool[B]:
        """A stretch of the shuffled corpus."""
        order = np.arange(len(self.corpus))
        if generator is not None:
            generator.shuffle(order)
        rows = order[number * self.size : (number + 1) * self.size]
        return Pool(self.corpus, rows, rows)


class EndlessPools(Pools[B], Generic[B, E]):
    """A source of examples that never ends, such as a grammar, by their numbers.

    Number n is always the same example, so that a run resumes anywhere at the cost of one pool,
    however long it has been going on.

    Args:
        draw: the example of a number, counted from 0.
        encode: examples as a corpus.
        name: what the source is, with its seed; a run resumes with the same name only.
        size: examples per pool.
    """

    def __init__(
        self,
        draw: Callable[[int], E],
        encode: Callable[[Iterable[E]], Corpus[B]],
        *,
        name: str,
        size: int = 4096,
    ) -> None:
        self.draw = draw
        self.encode = encode
        self.name = name
        self.size = size

    @property
    def count(self) -> None:
        """There is no end."""
        return

    @property
    def identity(self) -> str:
        """Name and size; the source itself cannot be known."""
        return f"{self.name}, {self.size} examples per pool"

    def pool(self, epoch: int, number: int, generator: np.random.Generator | None) -> Pool[B]:
        """The next examples, in the order of their numbers."""
        rows = np.arange(self.size)
        indices = rows + number * self.size
        examples = (self.draw(index) for index in indices.tolist())
        return Pool(self.encode(examples), rows, indices)
