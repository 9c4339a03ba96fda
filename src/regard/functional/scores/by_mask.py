"""One of two scores, chosen pair by pair."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from regard.errors import DtypeError, ShapeError
from regard.types import Bool, Float, Int, Tensor

from ..forms import Form, Tile, Total, Vectors, leading_axes, take_heads
from .base import Score

if TYPE_CHECKING:
    from ..masks import Mask


@dataclass(frozen=True, eq=False, repr=False)
class ByMask(Score):
    r"""One score for the pairs of a mask, another for all other pairs.

    .. math:: e_{qk} = \begin{cases} f(q_q, k_k) & (q, k) \in M \\ g(q'_q, k'_k) & \text{else}
              \end{cases}

    Queries and keys carry two vectors of one width side by side, [q; q′] and [k; k′]. This is the
    agent-aware score of Yuan et al. 2021, section 3.2 (https://arxiv.org/abs/2103.14023). Every
    pair is scored twice; memory stays linear.

    Args:
        mask: M, who is scored by ``first``; nobody is barred by it.
        first: f, the score of pairs in M.
        second: g, the score of the others.
    """

    mask: "Mask"
    first: Score
    second: Score

    name = "by_mask"
    step = "s = f(q, k) if (i, j) ∈ M, else g(q′, k′)"

    def __post_init__(self) -> None:
        from ..masks import Mask

        if not isinstance(self.mask, Mask):
            raise DtypeError(
                f"by_mask needs a mask of regard.masks, got {type(self.mask).__name__}; "
                "make one of a boolean tensor by masks.dense()"
            )

    def form(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> Form:
        """Both forms, and the mask that chooses."""
        axes = len(leading_axes(query, key)) + 2
        (query, other_query), (key, other_key) = query.chunk(2, -1), key.chunk(2, -1)
        terms = self.first.form(query, key), self.second.form(other_query, other_key)
        return _Chosen(terms, lambda at: self.mask.allowed(at, axes))

    def shifted(self, queries: int, keys: int = 0) -> "ByMask":
        """Mask and scores shifted."""
        first, second = (score.shifted(queries, keys) for score in (self.first, self.second))
        return ByMask(self.mask.shifted(queries, keys), first, second)

    @property
    def pair_width(self) -> int:
        """That of the wider score."""
        return max(self.first.pair_width, self.second.pair_width)

    def tensors(self) -> list[Tensor]:
        """Those of the mask and of both scores."""
        return [*self.mask.tensors(), *self.first.tensors(), *self.second.tensors()]

    def check(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> None:
        """Both halves must fit their score, and the positions the mask."""
        if query.shape[-1] % 2 or key.shape[-1] % 2:
            raise ShapeError(
                "by_mask needs two vectors of one width side by side, so an even width, got query "
                f"{tuple(query.shape)} and key {tuple(key.shape)}"
            )
        (query, other_query), (key, other_key) = query.chunk(2, -1), key.chunk(2, -1)
        self.first.check(query, key)
        self.second.check(other_query, other_key)
        self.mask.check(leading_axes(query, key), query.shape[-2], key.shape[-2])


@dataclass(frozen=True, eq=False)
class _Chosen(Total):
    chooses: Callable[[Tile], Bool[Tensor, "*B r c"]]

    def of_heads(self, heads: Int[Tensor, " h"]) -> "_Chosen":
        terms = tuple(term.of_heads(heads) for term in self.terms)
        return _Chosen(terms, lambda at: take_heads(self.chooses(at), heads))

    def tile(
        self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile
    ) -> Float[Tensor, "*B r c"]:
        first, second = (t.tile(*own, at) for t, own in self._shares(rows, columns, shared))
        return torch.where(self.chooses(at), first, second)

    def fast_tile(
        self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile
    ) -> Float[Tensor, "*B r c"]:
        first, second = (t.fast_tile(*own, at) for t, own in self._shares(rows, columns, shared))
        return torch.where(self.chooses(at), first, second)
