"""Dot products, plain and scaled."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from regard.types import Float, Tensor

from ..forms import Inner
from .base import Score, require_positive

if TYPE_CHECKING:
    from ..masks import Mask


class InnerScore(Score):
    """A score that is one inner product as it stands."""

    def is_inner(self, mask: "Mask | None" = None) -> bool:
        """Always."""
        return True


@dataclass(frozen=True, eq=False, repr=False)
class Dot(InnerScore):
    r"""Dot product.

    .. math:: e_{qk} = \langle q_q, k_k \rangle

    Luong et al. 2015, Eq. 8, *dot* (https://arxiv.org/abs/1508.04025).
    """

    name = "dot"

    def form(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> Inner:
        """An inner product of the vectors themselves."""
        return Inner(query, key)


@dataclass(frozen=True, eq=False, repr=False)
class ScaledDot(InnerScore):
    r"""Dot product scaled by the width.

    .. math:: e_{qk} = \langle q_q, k_k \rangle / \sqrt{D}

    Vaswani et al. 2017, Eq. 1 (https://arxiv.org/abs/1706.03762).

    Args:
        scale: the factor; ``None`` is 1/√D.
    """

    scale: float | None = None

    name = "scaled_dot"

    def __post_init__(self) -> None:
        if self.scale is not None:
            require_positive(self.name, "scale", self.scale)

    def form(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> Inner:
        """An inner product with a factor."""
        width = query.shape[-1]
        default = width**-0.5 if width else 1.0
        return Inner(query, key, default if self.scale is None else self.scale)
