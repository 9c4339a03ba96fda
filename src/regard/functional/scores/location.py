"""The score that looks at the query only."""

from dataclasses import dataclass

from regard.errors import ShapeError
from regard.mechanism import mechanism
from regard.papers import LUONG_2015
from regard.types import Float, Tensor

from ..forms import Inner
from .base import Score, require_parameter
from .dot import InnerScore


@mechanism("location", equation="e = (W q)ₖ", cost="O(Q K D), fused", paper=LUONG_2015)
@dataclass(frozen=True, eq=False, repr=False)
class Location(InnerScore):
    r"""One learned row per key position; what stands there is not looked at.

    .. math:: e_{qk} = \langle W_k, q_q \rangle, \quad \alpha_q = \mathrm{softmax}(W q_q)

    Luong et al. 2015, section 3.1, *location* (https://arxiv.org/abs/1508.04025); their W_a
    is ``weight``.

    Args:
        weight: W, (longest key sequence, Dq); the first K rows are used.
    """

    weight: Tensor

    name = "location"
    step = "s = q·k′ = W q"
    key_step = "k′ = one row of W per position"

    def __post_init__(self) -> None:
        require_parameter(self.name, "weight", self.weight, ("K", "Dq"))

    def check(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> None:
        """One row of the weight per key, as wide as the query."""
        rows, width = self.weight.shape
        if width != query.shape[-1]:
            raise ShapeError(
                f"location needs weight as wide as the query, {query.shape[-1]}, got {width}"
            )
        if rows < key.shape[-2]:
            raise ShapeError(
                f"location needs a row of weight for each of {key.shape[-2]} keys, got {rows}; "
                "make the table longer, or cut the keys"
            )

    def shifted(self, queries: int, keys: int = 0) -> Score:
        """The rows of the later keys."""
        return Location(self.weight[keys:]) if keys else self

    def form(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> Inner:
        """An inner product in which the rows of W stand for the keys."""
        rows = self.weight[: key.shape[-2]].to(query.dtype)
        return Inner(query, rows.expand(*key.shape[:-2], -1, -1))
