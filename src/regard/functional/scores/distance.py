"""Minus the squared Euclidean distance."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from regard.mechanism import mechanism
from regard.papers import NADARAYA_WATSON_1964
from regard.types import Float, Tensor

from ..forms import Form, Inner, Radial
from ..tensors import readable, widened
from .base import Score, as_scalar, require_positive

if TYPE_CHECKING:
    from ..masks import Mask

WIDEST = 2.0**11
"""Squared reach of queries and keys in units of the width up to which the square is multiplied out.

Terms that cancel are no larger, so what is left of them is right to about 1e-4 in float32.
"""


@mechanism(
    "Euclidean", equation="e = −‖q − k‖² / w²", cost="O(Q K D), fused", paper=NADARAYA_WATSON_1964
)
@dataclass(frozen=True, eq=False, repr=False)
class Euclidean(Score):
    r"""Minus the squared distance: near keys score high.

    .. math:: e_{qk} = -\lVert q_q - k_k \rVert^2 / w^2
              = (2 \langle q_q, k_k \rangle - \lVert k_k \rVert^2 - \lVert q_q \rVert^2) / w^2

    The last term is the same for all keys of a query, so a softmax does not see it, and with keys
    of equal norm a softmax over distances is one over dot products.

    Args:
        width: w, the unit of distance; a number, or a tensor of one number that may be learned.
    """

    width: float | Tensor = 1.0

    name = "euclidean"
    content_only = True
    step = "s = −‖q − k‖² / w²"

    def __post_init__(self) -> None:
        require_positive(self.name, "width", self.width)

    def form(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> Form:
        """Distances, squared."""
        return Radial(query, key, torch.neg, as_scalar(self.width, query))

    def is_inner(self, mask: "Mask | None" = None) -> bool:
        """Up to the row constant, always."""
        return True

    def inner(
        self,
        query: Float[Tensor, "*#B Q Dq"],
        key: Float[Tensor, "*#B K Dk"],
        mask: "Mask | None" = None,
    ) -> Inner | None:
        """Twice the dot product minus the squared norm of the key.

        Both sides are first moved so that the mean of the keys lies at zero: distances stay, and
        the terms that cancel stay small. Where they do not (one key far away, a width much below
        the range of the data), there is no such product; where nobody can look at the numbers,
        only in float64.
        """
        looked_at = readable(key)
        if not looked_at and key.dtype != torch.float64:
            return None
        query, key = widened(query), widened(key)
        width = as_scalar(self.width, query)
        query, key = _moved(query, key)
        query, key = query / width, key / width
        if looked_at and not _reach(query, key) <= WIDEST:
            return None
        # Not the square of the norm, which has no second derivative at zero.
        return Inner(query, key, 2.0, -torch.linalg.vecdot(key, key))


def _moved(query: Tensor, key: Tensor) -> tuple[Tensor, Tensor]:
    """Both, moved by the mean of the keys; by nothing where it is no number."""
    if not key.shape[-2]:
        return query, key
    centre = key.detach().mean(dim=-2, keepdim=True)
    centre = torch.where(centre.isfinite(), centre, 0)
    return query - centre, key - centre


def _reach(*vectors: Tensor) -> float:
    """The square of the largest norm of a query and of a key together."""
    if not all(x.numel() for x in vectors):
        return 0.0
    norms = (torch.linalg.vector_norm(x.detach(), dim=-1) for x in vectors)
    reach = float(sum(norm.amax() for norm in norms))
    return reach * reach  # a power of Python raises where this is infinite
