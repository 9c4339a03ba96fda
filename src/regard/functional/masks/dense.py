"""A mask given as a tensor."""

from dataclasses import dataclass

import torch

from regard.errors import DtypeError, ShapeError
from regard.types import Bool, Int, Tensor

from ..forms import Tile
from ..tensors import broadcasts, require_padded
from .base import PARTIAL, Mask, Spans


@dataclass(frozen=True, eq=False)
class Dense(Mask):
    """Pairs listed one by one. Made by :func:`dense`, or by passing a tensor as the mask."""

    tensor: Tensor

    name = "dense"
    is_stored = True

    def __post_init__(self) -> None:
        if not isinstance(self.tensor, Tensor) or self.tensor.dtype != torch.bool:
            came = (
                self.tensor.dtype if isinstance(self.tensor, Tensor) else type(self.tensor).__name__
            )
            raise DtypeError(
                f"mask needs a boolean tensor, True = may attend, got {came}; turn an additive "
                "mask of 0 and -inf into one by `mask == 0`, or add a bias to the score"
            )
        require_padded("mask", self.tensor)
        if self.tensor.dim() < 2:
            raise ShapeError(
                "mask needs at least two axes, (queries or 1, keys or 1), got "
                f"{tuple(self.tensor.shape)}; for lengths use masks.padding(lengths)"
            )

    def allowed(self, at: Tile, axes: int) -> Bool[Tensor, "*B r c"]:
        """The tensor's own entries; axes of size 1 stand for all positions."""
        tensor = self.tensor
        if tensor.shape[-2] > 1:
            (tensor,) = at.take_rows((tensor,))
        if tensor.shape[-1] > 1:
            tensor = at.take_columns((tensor.mT,))[0].mT
        return tensor

    def reached(self, at: Tile, axes: int) -> Bool[Tensor, "*B 1 c"]:
        """Those that any row allows."""
        return Dense(self.tensor.any(dim=-2, keepdim=True)).allowed(at, axes)

    def tiles(self, rows: Spans, columns: Spans) -> Int[Tensor, "R C"]:
        """Nothing is known without reading it."""
        return torch.full((len(rows.starts), len(columns.starts)), PARTIAL)

    def tensors(self) -> list[Tensor]:
        """The tensor."""
        return [self.tensor]

    def check(self, leading: tuple[int, ...], num_queries: int, num_keys: int) -> None:
        """The tensor must broadcast to the scores without enlarging them."""
        scores, shape = (*leading, num_queries, num_keys), self.tensor.shape
        if not broadcasts(shape, scores):
            raise ShapeError(
                f"mask needs a shape that broadcasts to the scores {scores}, got {tuple(shape)}"
                + _advice(tuple(shape), scores)
            )

    def check_reach(self, leading: tuple[int, ...], num_queries: int, num_keys: int) -> None:
        """The tensor must hold that many queries and keys, or one that stands for all."""
        rows, columns = self.tensor.shape[-2:]
        for what, own, needed in (("queries", rows, num_queries), ("keys", columns, num_keys)):
            if own != 1 and own < needed:
                raise ShapeError(
                    f"mask needs a tensor for at least {needed} {what}, "
                    f"got {tuple(self.tensor.shape)}"
                )
        self.check(leading, rows, columns)

    def __repr__(self) -> str:
        return f"dense(Tensor{tuple(self.tensor.shape)})"


def _advice(shape: tuple[int, ...], scores: tuple[int, ...]) -> str:
    """What to do with one boolean per key of every sequence, which lacks the axes between."""
    between = len(scores) - len(shape)
    if between < 1 or shape != (*scores[: len(shape) - 1], scores[-1]):
        return ""
    axes = ":, " * (len(shape) - 1) + "None, " * between
    return f"; for booleans per key pass mask[{axes}:], or masks.padding(lengths)"


def dense(tensor: Bool[Tensor, "*B Q K"]) -> Dense:
    """The pairs where ``tensor`` is True; axes of size 1 stand for all.

    The tensor is not copied: every call looks at it as it is then, and torch refuses a backward
    pass if it was changed in between.
    """
    return Dense(tensor)
