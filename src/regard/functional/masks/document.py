"""Packed documents that must not see each other."""

from dataclasses import dataclass

import torch

from regard.errors import DtypeError, ShapeError
from regard.types import Bool, Int, Tensor

from ..forms import Tile
from .base import Mask, Spans, batch_first, check_batch


@dataclass(frozen=True, eq=False)
class Document(Mask):
    """Pairs within one document. Made by :func:`document`."""

    query_ids: Tensor
    key_ids: Tensor

    name = "document"

    def __post_init__(self) -> None:
        for ids in (self.query_ids, self.key_ids):
            if not isinstance(ids, Tensor) or ids.is_floating_point() or ids.dim() < 1:
                raise DtypeError(
                    "document needs ids as a tensor of whole numbers, one per position"
                )
        own = self.query_ids.clone()
        same = self.key_ids is self.query_ids
        object.__setattr__(self, "key_ids", own if same else self.key_ids.clone())
        object.__setattr__(self, "query_ids", own)

    def allowed(self, at: Tile, axes: int) -> Bool[Tensor, "*B r c"]:
        """Equal ids."""
        (rows,) = at.take_rows((batch_first(self.query_ids.unsqueeze(-1), axes, own=2),))
        (columns,) = at.take_columns((batch_first(self.key_ids.unsqueeze(-1), axes, own=2),))
        return rows == columns.mT

    def tiles(self, rows: Spans, columns: Spans) -> Int[Tensor, "R C"]:
        """By the range of ids on each side: disjoint ranges share none, equal points share all."""
        low_q, high_q = (x.unsqueeze(-1) for x in _ranges(self.query_ids, rows))  # (b, R, 1)
        low_k, high_k = (x.unsqueeze(-2) for x in _ranges(self.key_ids, columns))  # (b, 1, C)
        some = (low_q <= high_k) & (low_k <= high_q)
        every = (low_q == high_q) & (low_k == high_k) & (low_q == low_k)
        return some.any(0).long() + every.all(0).long()

    def tensors(self) -> list[Tensor]:
        """The ids."""
        return [self.query_ids, self.key_ids]

    def check(self, leading: tuple[int, ...], num_queries: int, num_keys: int) -> None:
        """One id per position."""
        for what, ids, count in (
            ("query", self.query_ids, num_queries),
            ("key", self.key_ids, num_keys),
        ):
            if ids.shape[-1] != count:
                raise ShapeError(
                    f"document needs one id for each of {count} {what} positions, "
                    f"got {ids.shape[-1]}"
                )
            check_batch("document", "ids", tuple(ids.shape[:-1]), leading)

    def check_reach(self, leading: tuple[int, ...], num_queries: int, num_keys: int) -> None:
        """At least one id per position."""
        own = self.query_ids.shape[-1], self.key_ids.shape[-1]
        self.check(leading, max(num_queries, own[0]), max(num_keys, own[1]))

    @property
    def keeps_self(self) -> bool:
        """If both sides are the same sequence."""
        return self.query_ids is self.key_ids

    def __repr__(self) -> str:
        return f"document(Tensor{tuple(self.query_ids.shape)})"


def document(ids: Int[Tensor, "*B Q"], key_ids: Int[Tensor, "*B K"] | None = None) -> Document:
    """Queries see the keys with their own id, as when several texts are packed into one row.

    Args:
        ids: one id per position, leading axes aligned with the first of the batch.
        key_ids: the ids of the keys, where they are another sequence.
    """
    return Document(ids, ids if key_ids is None else key_ids)


def _ranges(ids: Tensor, spans: Spans) -> tuple[Tensor, Tensor]:
    """Smallest and largest id within each span, (b, spans)."""
    flat = ids.detach().cpu().reshape(-1, ids.shape[-1])
    pieces = [flat[:, a:b].aminmax(dim=-1) for a, b in zip(*map(Tensor.tolist, spans), strict=True)]
    low = torch.stack([piece.min for piece in pieces], dim=-1)
    high = torch.stack([piece.max for piece in pieces], dim=-1)
    return low, high
