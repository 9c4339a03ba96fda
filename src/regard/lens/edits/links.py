"""Links cut: a query that may no longer look at a key."""

from dataclasses import dataclass
from typing import ClassVar

import torch

from regard.functional import masks
from regard.functional.asked import Asked
from regard.functional.forms import Tile
from regard.functional.masks import Mask, Spans
from regard.functional.masks.base import PARTIAL
from regard.functional.tensors import spread_over
from regard.types import Bool, Float, Int, Tensor

from .base import Intervention, Run


@dataclass(frozen=True, eq=False)
class WithoutLink(Mask):
    """All pairs but one."""

    query: int
    key: int

    name: ClassVar[str] = "without_link"

    def allowed(self, at: Tile, axes: int) -> Bool[Tensor, "r c"]:
        """All but the one."""
        return (at.rows != self.query).unsqueeze(-1) | (at.columns != self.key)

    def tiles(self, rows: Spans, columns: Spans) -> Int[Tensor, "R C"]:
        """Nothing is said of them."""
        return torch.full((len(rows.starts), len(columns.starts)), PARTIAL)


@dataclass(frozen=True, eq=False)
class CutLink(Intervention):
    """A query that may not look at a key: what it looked there with goes to its other keys.

    Exact for every normaliser, since the pair is masked and the row computed anew; with the softmax
    that is dividing the other weights by their sum. A query that had no other key gets a zero
    context.

    Args:
        module: name or pattern of the modules.
        query: which row.
        key: which column.
    """

    module: str
    query: int
    key: int

    @property
    def where(self) -> str:
        """Which modules."""
        return self.module

    def context(self, asked: Asked, run: Run) -> Float[Tensor, "*B Q E"]:
        """The context with one row of some heads computed anew."""
        old = run()
        row = self._row(asked)  # (*B, 1, K)
        pooled = row.to(old.dtype) @ spread_over(row, asked.value).to(old.dtype)
        at = torch.tensor([self.query], device=old.device)
        new = old.index_copy(-2, at, pooled.expand(*old.shape[:-2], 1, old.shape[-1]))
        return self.chosen(old, new)

    def weights(self, asked: Asked, weights: Float[Tensor, "*B Q K"]) -> Float[Tensor, "*B Q K"]:
        """The weights with one row of some heads computed anew."""
        at = torch.tensor([self.query], device=weights.device)
        row = self._row(asked).to(weights.dtype)
        new = weights.index_copy(-2, at, row.expand(*weights.shape[:-2], 1, weights.shape[-1]))
        return self.chosen(weights, new)

    def _row(self, asked: Asked) -> Float[Tensor, "*B 1 K"]:
        own = masks.resolve(asked.mask)
        cut: Mask = WithoutLink(self.query, self.key)
        return asked.by(mask=cut if own is None else own & cut).weigh(rows=[self.query])
