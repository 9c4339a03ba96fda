"""The bilinear score."""

from dataclasses import dataclass

from regard.errors import ShapeError
from regard.mechanism import mechanism
from regard.papers import LUONG_2015
from regard.types import Float, Tensor

from ..forms import Inner
from .base import require_parameter
from .dot import InnerScore


@mechanism("general", equation="e = qᵀ W k", cost="O(Q K D), fused", paper=LUONG_2015)
@dataclass(frozen=True, eq=False, repr=False)
class General(InnerScore):
    r"""Bilinear product with a learned map, which may join different widths.

    .. math:: e_{qk} = q_q^\top W k_k

    Luong et al. 2015, Eq. 8, *general* (https://arxiv.org/abs/1508.04025); their W_a is ``weight``.

    Args:
        weight: W, (Dq, Dk).
    """

    weight: Tensor

    name = "general"
    content_only = True
    step = "s = q′·k = qᵀW k"
    query_step = "q′ = Wᵀq"

    def __post_init__(self) -> None:
        require_parameter(self.name, "weight", self.weight, ("Dq", "Dk"))

    def check(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> None:
        """The weight must join the two widths."""
        if self.weight.shape != (query.shape[-1], key.shape[-1]):
            raise ShapeError(
                f"general needs weight of shape (query width, key width) = "
                f"({query.shape[-1]}, {key.shape[-1]}), got {tuple(self.weight.shape)}"
            )

    def form(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> Inner:
        """Project the query, then an inner product."""
        return Inner(query @ self.weight.to(query.dtype), key)
