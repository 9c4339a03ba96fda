"""The cosine of the angle between query and key."""

from dataclasses import dataclass

import torch
from torch.nn.functional import normalize

from regard.errors import DtypeError, RangeError, ShapeError
from regard.kernels.derivatives import transformed
from regard.mechanism import mechanism
from regard.types import Float, Tensor

from ..forms import Inner, leading_axes
from .base import Score, require_positive
from .dot import InnerScore


@mechanism(
    "content (cosine)",
    equation="e = β cos(q, k)",
    cost="O(Q K D), fused",
    paper=("Graves 2014", "https://arxiv.org/abs/1410.5401"),
)
@dataclass(frozen=True, eq=False, repr=False)
class Cosine(InnerScore):
    r"""Cosine similarity with a sharpness.

    .. math:: e_{qk} = \beta \cos(q_q, k_k)

    Graves et al. 2014, Eq. 5–6, content addressing (https://arxiv.org/abs/1410.5401); their key
    strength β is ``scale``. The cosine with a zero vector is 0.

    Args:
        scale: β > 0; a number, or a tensor that carries a gradient: one number (), one per head
            (H,), or one per query (*B, Q), as a controller emits it, with at least two axes.
    """

    scale: float | Tensor = 1.0

    name = "cosine"
    content_only = True
    step = "s = β cos(q, k)"
    query_step = "q′ = q / ‖q‖"
    key_step = "k′ = k / ‖k‖"

    def __post_init__(self) -> None:
        if not isinstance(self.scale, Tensor):
            require_positive(self.name, "scale", self.scale)
            return
        if not self.scale.is_floating_point():
            raise DtypeError(
                f"cosine needs scale as a floating-point tensor, got {self.scale.dtype}"
            )
        if torch.compiler.is_compiling() or transformed() or not self.scale.numel():
            return
        low, high = map(float, self.scale.detach().aminmax())
        if not 0 < low <= high < float("inf"):
            raise RangeError(f"cosine needs a positive scale, got {low} to {high}; use softplus")

    def check(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> None:
        """A scale per head needs the heads before the positions; one per query, the queries."""
        super().check(query, key)
        if not isinstance(self.scale, Tensor):
            return
        leading = leading_axes(query, key)
        wanted = leading[-1:] if self.scale.dim() == 1 else (*leading, query.shape[-2])
        own = tuple(self.scale.shape)
        if len(own) > len(wanted) or any(
            size not in (1, full) for size, full in zip(own[::-1], wanted[::-1], strict=False)
        ):
            raise ShapeError(
                "cosine needs scale of shape (), (heads,) or (*batch, queries), "
                f"{(*leading, query.shape[-2])} at most, got {own}"
            )

    def shifted(self, queries: int, keys: int = 0) -> Score:
        """The scales of the later queries."""
        if not isinstance(self.scale, Tensor) or self.scale.dim() < 2 or self.scale.shape[-1] == 1:
            return self
        return Cosine(self.scale[..., queries:])

    def form(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> Inner:
        """Normalise every vector, then an inner product; a learned scale goes to the queries."""
        query, key = normalize(query, dim=-1), normalize(key, dim=-1)
        if not isinstance(self.scale, Tensor):
            return Inner(query, key, self.scale)
        return Inner(query * self._factor(query), key)

    def _factor(self, query: Tensor) -> Tensor:
        """β as it multiplies queries (*B, Q, D)."""
        assert isinstance(self.scale, Tensor)
        scale = self.scale.to(query)
        if scale.numel() == 1:
            return scale.reshape(())
        return scale.view(-1, 1, 1) if scale.dim() == 1 else scale.unsqueeze(-1)
