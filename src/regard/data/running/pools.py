"""Pools of which something else is drawn in every epoch."""

from abc import abstractmethod
from typing import Generic, TypeVar

import numpy as np

from ..batches import Corpus, Pools
from ..batches.pools import Pool

B = TypeVar("B")


class DrawnCorpus(Corpus[B]):
    """A corpus of whose examples something is drawn: tokens to hide, words beside them."""

    @abstractmethod
    def drawn(self, pool: Pool[B], epoch: int) -> Pool[B]:
        """A pool of this corpus as it is drawn in an epoch, counted from 0."""


class DrawnPools(Pools[B], Generic[B]):
    """Pools in which something else is drawn in every epoch.

    Args:
        plain: the same of a :class:`DrawnCorpus`, as they come.
    """

    def __init__(self, plain: Pools[B]) -> None:
        self.plain = plain

    @property
    def count(self) -> int | None:
        """As many."""
        return self.plain.count

    @property
    def identity(self) -> str:
        """The same."""
        return self.plain.identity

    @property
    def left_out(self) -> int:
        """As many."""
        return self.plain.left_out

    def pool(self, epoch: int, number: int, generator: np.random.Generator | None) -> Pool[B]:
        """A pool as it is drawn in its epoch."""
        found = self.plain.pool(epoch, number, generator)
        assert isinstance(found.corpus, DrawnCorpus)
        return found.corpus.drawn(found, epoch)
