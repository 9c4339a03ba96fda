"""Pictures that a model is measured on."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from .batch import Batch, batch_of
from .corpus import Kept

if TYPE_CHECKING:
    from collections.abc import Callable


class HeldOut(NamedTuple):
    """Pictures with what is in them, in their order."""

    names: tuple[str, ...]
    loaded: Kept
    picture: "Callable[[int], Any]"
    """The picture of a number as its file has it, of Pillow."""
    digest: str
    """A short fingerprint of what they are."""

    def batches(self, size: int) -> Iterator[Batch]:
        """All of them, so many at a time."""
        for start in range(0, len(self.names), size):
            rows = range(start, min(start + size, len(self.names)))
            yield batch_of([self.loaded[row] for row in rows], torch.tensor(list(rows)), len(rows))

    def first(self, count: int) -> "HeldOut":
        """The first of them."""
        return self._replace(names=self.names[:count])
