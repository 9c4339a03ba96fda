"""What every intervention is: a value that says where, and what is to come out there."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from regard.errors import RangeError, ShapeError
from regard.functional.asked import Asked
from regard.types import Float, Int, Tensor

Run = Callable[[], Tensor]


@dataclass(frozen=True, eq=False, kw_only=True)
class Intervention(ABC):
    """Another say in what some attention modules do.

    Args:
        heads: which heads; all if not given.
        call: which call of each module inside the block, from 0; every one if not given.
    """

    heads: Sequence[int] | None = None
    call: int | None = None

    @property
    @abstractmethod
    def where(self) -> str:
        """The modules' name, or a pattern such as ``"encoder.layer.*.attention.self"``."""

    @abstractmethod
    def context(self, asked: Asked, run: Run) -> Float[Tensor, "*B Q E"]:
        """The context in place of that of ``run()``."""

    def weights(self, asked: Asked, weights: Float[Tensor, "*B Q K"]) -> Float[Tensor, "*B Q K"]:
        """The weights in place of these, for modules that pool by themselves."""
        return weights

    def replaced(self, asked: Asked, context: Float[Tensor, "*B Q E"]) -> Float[Tensor, "*B Q E"]:
        """The context in place of this, for modules that pooled edited weights."""
        return context

    def chosen(self, old: Tensor, new: Tensor) -> Tensor:
        """``new`` in the heads that are meant, ``old`` in the others."""
        if self.heads is None:
            return new.to(old.dtype).expand_as(old)
        at = self.places(old)
        return old.index_copy(-3, at, new.to(old.dtype).expand_as(old).index_select(-3, at))

    def places(self, like: Float[Tensor, "*B H Q E"]) -> Int[Tensor, " h"]:
        """The heads that are meant, as positions on the axis before the queries.

        Raises:
            ShapeError: there are no heads here.
            RangeError: not so many.
        """
        if like.dim() < 4:
            raise ShapeError(
                f"{type(self).__name__} of {self.where!r} names heads, but what is attended with "
                f"there has none, {tuple(like.shape)}; leave heads out"
            )
        heads, size = list(self.heads or ()), like.shape[-3]
        if wrong := [head for head in heads if not -size <= head < size]:
            raise RangeError(f"{self.where!r} has {size} heads, got head {wrong[0]}")
        return torch.tensor([head % size for head in heads], device=like.device)
