"""Additive scores with a gate."""

from dataclasses import dataclass

from regard.errors import ShapeError
from regard.mechanism import mechanism
from regard.papers import ANDERSON_2018
from regard.types import Float, Tensor

from ..forms import GatedTanh
from .base import Score, require_parameter


@mechanism(
    "gated additive",
    equation="e = vᵀ (tanh(a_q + a_k) ⊙ σ(g_q + g_k))",
    cost="O(Q K A), streamed",
    paper=ANDERSON_2018,
)
@dataclass(frozen=True, eq=False, repr=False)
class GatedAdditive(Score):
    r"""One hidden layer of gated tanh units over the sum of projected query and key.

    .. math:: e_{qk} = v^\top \bigl( \tanh(q_q + k_k) \odot \sigma(q'_q + k'_k) \bigr)

    Anderson et al. 2018, section 3.3 (https://arxiv.org/abs/1707.07998); their w_a is ``v``. A
    gated layer over a concatenation is this score, too, since W [q; k] = W_q q + W_k k. Queries and
    keys come projected, hidden half and gate half side by side: (…, 2 A). O(Q K A) time, O(Q + K)
    memory when streamed.

    Args:
        v: (A,).
    """

    v: Tensor

    name = "gated_additive"
    content_only = True
    step = "s = vᵀ (tanh(q₁ + k₁) ⊙ σ(q₂ + k₂))"

    def __post_init__(self) -> None:
        require_parameter(self.name, "v", self.v, ("A",))

    @property
    def pair_width(self) -> int:
        """One number per hidden feature."""
        return self.v.shape[0]

    def check(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> None:
        """Query and key are twice as wide as v."""
        needed = 2 * self.v.shape[0]
        for what, vectors in (("query", query), ("key", key)):
            if vectors.shape[-1] != needed:
                raise ShapeError(
                    f"gated_additive needs a {what} of width {needed}, twice that of v, "
                    f"got {tuple(vectors.shape)}; project it to both halves"
                )

    def form(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> GatedTanh:
        """A sum of gated tangents."""
        return GatedTanh(query, key, self.v.to(query))
