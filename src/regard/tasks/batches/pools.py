"""Where examples come from, one pool at a time: a corpus with epochs, or an endless source."""

from abc import abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from ..vocabulary import Vocabularies
from .corpus import Corpus, encode
from .example import Example
from .ragged import Positions


class Pool(NamedTuple):
    """Examples that are sorted by length together."""

    corpus: Corpus
    rows: Positions
    """Which rows of the corpus, in which order."""
    indices: Positions
    """What each of them is called in :attr:`Batch.indices`."""


@runtime_checkable
class Pools(Protocol):
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
    def pool(self, epoch: int, number: int, generator: np.random.Generator | None) -> Pool:
        """A pool of an epoch.

        Args:
            epoch: counted from 0.
            number: of the pool in its epoch.
            generator: of the epoch, to shuffle with; ``None`` leaves the order.
        """


class FinitePools(Pools):
    """A corpus, every example once per epoch.

    Args:
        corpus: the examples.
        size: examples per pool.
    """

    def __init__(self, corpus: Corpus, *, size: int = 2**15) -> None:
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
        """The token numbers of the corpus."""
        return f"corpus {self.corpus.digest}"

    def pool(self, epoch: int, number: int, generator: np.random.Generator | None) -> Pool:
        """A stretch of the shuffled corpus."""
        order = np.arange(len(self.corpus))
        if generator is not None:
            generator.shuffle(order)
        rows = order[number * self.size : (number + 1) * self.size]
        return Pool(self.corpus, rows, rows)


class EndlessPools(Pools):
    """A source of examples that never ends, such as a grammar, by their numbers.

    Number n is always the same example, so that a run resumes anywhere at the cost of one pool,
    however long it has been going on.

    Args:
        draw: the example of a number, counted from 0.
        vocabularies: what encodes them.
        name: what the source is, with its seed; a run resumes with the same name only.
        size: examples per pool.
    """

    def __init__(
        self,
        draw: Callable[[int], Example],
        vocabularies: Vocabularies,
        *,
        name: str,
        size: int = 4096,
    ) -> None:
        self.draw = draw
        self.vocabularies = vocabularies
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

    def pool(self, epoch: int, number: int, generator: np.random.Generator | None) -> Pool:
        """The next examples, in the order of their numbers."""
        rows = np.arange(self.size)
        indices = rows + number * self.size
        examples = (self.draw(index) for index in indices.tolist())
        return Pool(encode(examples, self.vocabularies), rows, indices)
