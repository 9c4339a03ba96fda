"""The cosine of the angle between query and key."""

from dataclasses import dataclass

from torch.nn.functional import normalize

from regard.types import Float, Tensor

from ..forms import Inner
from .base import require_positive
from .dot import InnerScore


@dataclass(frozen=True, eq=False, repr=False)
class Cosine(InnerScore):
    r"""Cosine similarity with a sharpness.

    .. math:: e_{qk} = \beta \cos(q_q, k_k)

    Graves et al. 2014, Eq. 5–6, content addressing (https://arxiv.org/abs/1410.5401); their key
    strength β is ``scale``. The cosine with a zero vector is 0.
    """

    scale: float = 1.0

    name = "cosine"

    def __post_init__(self) -> None:
        require_positive(self.name, "scale", self.scale)

    def form(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> Inner:
        """Normalise every vector, then an inner product."""
        return Inner(normalize(query, dim=-1), normalize(key, dim=-1), self.scale)
