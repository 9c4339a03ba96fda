"""A Gaussian around a predicted position."""

from dataclasses import dataclass

from regard.errors import DtypeError, ShapeError
from regard.types import Float, Int, Tensor

from ..forms import Form, Positional, Tile, Vectors, leading_axes, take_heads
from .base import PositionTerm, Score, as_scalar, require_positive


@dataclass(frozen=True, eq=False, repr=False)
class GaussianAround(PositionTerm):
    r"""Favour the keys near a centre, one centre per query.

    .. math:: b_{qk} = -(k - p_q)^2 / (2 \sigma^2)

    The exponent of Luong et al. 2015, Eq. 10, *local-p* (https://arxiv.org/abs/1508.04025): added
    to the score it multiplies the unnormalised weight. The gradient flows into ``centres``.

    Args:
        centres: p, (*B, Q), real positions among the keys.
        sigma: σ, a number or a tensor of one number; the paper takes half the window's half-width.
    """

    centres: Tensor
    sigma: float | Tensor

    name = "gaussian_around"
    step = "s = −(j − p)² / 2σ²"

    def __post_init__(self) -> None:
        if not isinstance(self.centres, Tensor) or not self.centres.is_floating_point():
            raise DtypeError("gaussian_around needs centres (*B, Q) as a floating-point tensor")
        require_positive(self.name, "sigma", self.sigma)

    def check(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> None:
        """One centre per query."""
        if self.centres.dim() < 1 or self.centres.shape[-1] not in (1, query.shape[-2]):
            raise ShapeError(
                f"gaussian_around needs one centre for each of {query.shape[-2]} queries, "
                f"got centres {tuple(self.centres.shape)}"
            )
        leading, own = leading_axes(query, key), tuple(self.centres.shape[:-1])
        fits = len(own) <= len(leading) and all(
            size in (1, full) for size, full in zip(own[::-1], leading[::-1], strict=False)
        )
        if not fits:
            raise ShapeError(
                f"gaussian_around needs centres that broadcast to the batch {leading}, got {own}"
            )

    def shifted(self, queries: int, keys: int = 0) -> Score:
        """The later queries' centres, counted from the first key that is there."""
        each = self.centres.shape[-1] > 1
        return GaussianAround(
            (self.centres[..., queries:] if each else self.centres) - keys, self.sigma
        )

    def form(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> Form:
        """Squared distance from the centre."""
        centres = self.centres.to(query)
        centres = centres.expand(*centres.shape[:-1], query.shape[-2]).unsqueeze(-1)
        return _Around(centres, as_scalar(self.sigma, query), leading_axes(query, key))


class _Around(Positional):
    def __init__(
        self, centres: Float[Tensor, "*B Q 1"], sigma: Float[Tensor, ""], leading: tuple[int, ...]
    ) -> None:
        super().__init__(leading, rows=(centres,), shared=(sigma,))

    def of_heads(self, heads: Int[Tensor, " h"]) -> Form:
        return _Around(take_heads(self.rows[0], heads), self.shared[0], self.leading_of(heads))

    def term(self, rows: Vectors, shared: Vectors, at: Tile) -> Float[Tensor, "*B r c"]:
        deviation = (at.columns.to(rows[0].dtype) - rows[0]) / shared[0]
        return deviation.square() * -0.5
