"""A score times a number."""

from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING

from regard.errors import DtypeError, RangeError, ShapeError
from regard.types import Float, Tensor

from ..forms import Form, Inner, leading_axes
from ..forms import Scaled as ScaledForm
from ..tensors import widened
from .base import PositionTerm, Score, as_scalar, brief

if TYPE_CHECKING:
    from ..masks import Mask


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

    def check(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> None:
        """The score checks; a tensor must hold a number for each query, head or sequence."""
        self.score.check(query, key)
        if not isinstance(self.factor, Tensor):
            return
        own, wanted = self.factor.shape, (*leading_axes(query, key), query.shape[-2], 1)
        if not 2 <= len(own) <= len(wanted) or any(
            size not in (1, full) for size, full in zip(own[::-1], wanted[::-1], strict=False)
        ):
            raise ShapeError(
                f"a score is multiplied by a tensor that broadcasts to {wanted}, one number for "
                f"each query, got {tuple(own)}; one for each head is (H, 1, 1)"
            )

    def form(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> Form:
        """The form of the score, with a factor for each row."""
        factor = self._factor(query)
        rows = factor.expand(*factor.shape[:-2], query.shape[-2], 1)
        return ScaledForm(self.score.form(query, key), rows)

    def is_inner(self, mask: "Mask | None" = None) -> bool:
        """If the score is."""
        return self.score.is_inner(mask)

    def inner(
        self,
        query: Float[Tensor, "*#B Q Dq"],
        key: Float[Tensor, "*#B K Dk"],
        mask: "Mask | None" = None,
    ) -> Inner | None:
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

    def is_key_bias(self, mask: "Mask | None" = None) -> bool:
        """If the term is, and all queries share the factor."""
        alike = not isinstance(self.factor, Tensor) or self.factor.shape[-2] == 1
        return alike and self.score.is_key_bias(mask)

    def key_bias(
        self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]
    ) -> Float[Tensor, "... K"]:
        """That of the term, times the factor."""
        bias = self.score.key_bias(query, key)
        return bias * self._factor(bias).squeeze(-1)
