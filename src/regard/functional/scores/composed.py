"""Scores made of other scores: times a number, shifted, or one of two, chosen pair by pair."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from numbers import Real

import torch

from regard.errors import DtypeError, RangeError, ShapeError
from regard.types import Bool, Float, Int, Tensor

from ..forms import Form, Inner, Moved, Pairs, Tile, Total, Vectors, leading_axes, take_heads
from ..forms import Scaled as ScaledForm
from ..masks import Mask
from ..tensors import broadcasts, widened
from .base import Keys, PositionTerm, Queries, Score, as_scalar, brief


@dataclass(frozen=True, eq=False, repr=False)
class Scaled(Score):
    r"""A score times a factor. Made by ``2 * score``, ``score / 2``, ``-score``.

    .. math:: e_{qk} = c_q \, f(q_q, k_k)

    An inner product stays one, so it runs fused. The gradient flows into a factor that is a tensor:
    a learned temperature, one for each head, or one for each query.

    Args:
        score: f.
        factor: c, a number, or a tensor that broadcasts to (*B, Q, 1), e.g. (H, 1, 1).
    """

    score: Score
    factor: int | float | Tensor

    name = "scaled"
    composed = True
    step = "s = c f(q, k)"

    def __post_init__(self) -> None:
        factor = self.factor
        if isinstance(factor, Tensor) and factor.is_floating_point():
            if factor.numel() == 1:
                object.__setattr__(self, "factor", factor.reshape(1, 1))
            return
        if isinstance(factor, bool | Tensor) or not isinstance(factor, Real):
            came = factor.dtype if isinstance(factor, Tensor) else type(factor).__name__
            raise DtypeError(
                f"a score is multiplied by a number or by a floating-point tensor, got {came}"
            )
        if not isfinite(factor):
            raise RangeError(f"a score is multiplied by a finite number, got {factor}")
        object.__setattr__(self, "factor", float(factor))

    def check(self, query: Queries, key: Keys) -> None:
        """The score checks; a tensor must hold a number for each query, head or sequence."""
        self.score.check(query, key)
        if not isinstance(self.factor, Tensor):
            return
        own, wanted = self.factor.shape, (*leading_axes(query, key), query.shape[-2], 1)
        if len(own) < 2 or not broadcasts(own, wanted):
            raise ShapeError(
                f"a score is multiplied by a tensor that broadcasts to {wanted}, one number for "
                f"each query, got {tuple(own)}; one for each head is (H, 1, 1)"
            )

    def form(self, query: Queries, key: Keys) -> Form:
        """The form of the score, with a factor for each row."""
        factor = self._factor(query)
        rows = factor.expand(*factor.shape[:-2], query.shape[-2], 1)
        return ScaledForm(self.score.form(query, key), rows)

    def is_inner(self, mask: Mask | None = None) -> bool:
        """If the score is."""
        return self.score.is_inner(mask)

    def inner(self, query: Queries, key: Keys, mask: Mask | None = None) -> Inner | None:
        """A factor of a product is a factor of its query."""
        inner = self.score.inner(query, key, mask)
        if inner is None:
            return None
        learned = isinstance(self.factor, Tensor)
        return inner.times(self._factor(widened(query)) if learned else self.factor)

    @property
    def pair_width(self) -> int:
        """That of the score."""
        return self.score.pair_width

    def shifted(self, queries: int, keys: int = 0) -> Score:
        """The score shifted, with the factors of the later queries."""
        factor = self.factor
        if isinstance(factor, Tensor) and factor.shape[-2] > 1:
            factor = factor[..., queries:, :]
        return self.score.shifted(queries, keys) * factor

    def tensors(self) -> list[Tensor]:
        """Those of the score, and the factor if it is more than one number."""
        many = isinstance(self.factor, Tensor) and self.factor.numel() > 1
        return [*self.score.tensors(), *([self.factor] if many else [])]  # type: ignore[list-item]

    @property
    def logarithm(self) -> Score | None:
        """That of the score: in proportion, a positive factor makes no difference."""
        positive = not isinstance(self.factor, Tensor) and self.factor > 0
        return self.score.logarithm if positive else None

    def _factor(self, like: Tensor) -> Float[Tensor, "... 1"]:
        if isinstance(self.factor, Tensor):
            return self.factor.to(like)
        return as_scalar(self.factor, like).reshape(1, 1)

    def __repr__(self) -> str:
        return f"{brief(self.factor)} * {self.score!r}"


class ScaledTerm(Scaled, PositionTerm):
    """A position term times a factor: a position term again."""

    score: PositionTerm

    def is_key_bias(self, mask: Mask | None = None) -> bool:
        """If the term is, and all queries share the factor."""
        alike = not isinstance(self.factor, Tensor) or self.factor.shape[-2] == 1
        return alike and self.score.is_key_bias(mask)

    def key_bias(self, query: Queries, key: Keys) -> Float[Tensor, "... K"]:
        """That of the term, times the factor."""
        bias = self.score.key_bias(query, key)
        return bias * self._factor(bias).squeeze(-1)


@dataclass(frozen=True, eq=False, repr=False)
class Shifted(PositionTerm):
    """A position term seen from query ``queries`` and key ``keys`` on, as in a step with a cache.

    Made by :meth:`PositionTerm.shifted`.
    """

    term: PositionTerm
    queries: int
    keys: int

    name = "shifted"

    def check(self, query: Queries, key: Keys) -> None:
        """The term checks."""
        self.term.check(query, key)

    def tensors(self) -> list[Tensor]:
        """Those of the term."""
        return self.term.tensors()

    def shifted(self, queries: int, keys: int = 0) -> Score:
        """Shifts add up."""
        return self.term.shifted(self.queries + queries, self.keys + keys)

    def form(self, query: Queries, key: Keys) -> Form:
        """The form of the term, at other positions."""
        return Moved(self.term.form(query, key), (self.queries, self.keys))


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

    mask: Mask
    first: Score
    second: Score

    name = "by_mask"
    step = "s = f(q, k) if (i, j) ∈ M, else g(q′, k′)"

    def __post_init__(self) -> None:
        if not isinstance(self.mask, Mask):
            raise DtypeError(
                f"by_mask needs a mask of regard.masks, got {type(self.mask).__name__}; "
                "make one of a boolean tensor by masks.dense()"
            )

    def form(self, query: Queries, key: Keys) -> Form:
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

    def check(self, query: Queries, key: Keys) -> None:
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

    def tile(self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile) -> Pairs:
        first, second = (t.tile(*own, at) for t, own in self._shares(rows, columns, shared))
        return torch.where(self.chooses(at), first, second)

    def fast_tile(self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile) -> Pairs:
        first, second = (t.fast_tile(*own, at) for t, own in self._shares(rows, columns, shared))
        return torch.where(self.chooses(at), first, second)
