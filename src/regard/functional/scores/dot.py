"""Dot products, plain and scaled."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from regard.mechanism import mechanism
from regard.papers import LUONG_2015, VASWANI_2017
from regard.types import Float, Tensor

from ..forms import Inner
from ..tensors import widened
from .base import Score, as_scalar, require_positive

if TYPE_CHECKING:
    from ..masks import Mask


class InnerScore(Score):
    """A score that is one inner product as it stands."""

    def is_inner(self, mask: "Mask | None" = None) -> bool:
        """Always."""
        return True


class PlainInner(InnerScore):
    """An inner product of the vectors as they are, which no precision can harm."""

    def inner(
        self,
        query: Float[Tensor, "*#B Q Dq"],
        key: Float[Tensor, "*#B K Dk"],
        mask: "Mask | None" = None,
    ) -> Inner:
        """Of vectors in their own dtype: the kernel multiplies them exactly."""
        return self.form(query, key)

    @abstractmethod
    def form(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> Inner:
        """The vectors and a factor."""


@mechanism("dot", equation="e = qᵀ k", cost="O(Q K D), fused", paper=LUONG_2015)
@dataclass(frozen=True, eq=False, repr=False)
class Dot(PlainInner):
    r"""Dot product.

    .. math:: e_{qk} = \langle q_q, k_k \rangle

    Luong et al. 2015, Eq. 8, *dot* (https://arxiv.org/abs/1508.04025).
    """

    name = "dot"
    content_only = True
    step = "s = q·k"

    def form(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> Inner:
        """An inner product of the vectors themselves."""
        return Inner(query, key)


@mechanism("scaled dot", equation="e = qᵀ k / √D", cost="O(Q K D), fused", paper=VASWANI_2017)
@dataclass(frozen=True, eq=False, repr=False)
class ScaledDot(PlainInner):
    r"""Dot product scaled by the width.

    .. math:: e_{qk} = \langle q_q, k_k \rangle / \sqrt{D}

    Vaswani et al. 2017, Eq. 1 (https://arxiv.org/abs/1706.03762).

    Args:
        scale: the factor; ``None`` is 1/√D. A tensor of one number may be learned.
    """

    scale: float | Tensor | None = None

    name = "scaled_dot"
    content_only = True
    step = "s = q·k / √D"

    def __post_init__(self) -> None:
        if self.scale is not None:
            require_positive(self.name, "scale", self.scale)

    def form(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> Inner:
        """An inner product with a factor."""
        if isinstance(self.scale, Tensor):
            query, key = widened(query), widened(key)  # a product would round them
            return Inner(query * as_scalar(self.scale, query), key)
        width = query.shape[-1]
        default = width**-0.5 if width else 1.0
        return Inner(query, key, default if self.scale is None else self.scale)
