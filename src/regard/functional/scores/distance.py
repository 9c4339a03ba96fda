"""Minus the squared Euclidean distance."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from regard.types import Float, Tensor

from ..forms import Form, Inner, Radial
from .base import Score, as_scalar, require_positive

if TYPE_CHECKING:
    from ..masks import Mask


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

    def __post_init__(self) -> None:
        require_positive(self.name, "width", self.width)

    def form(self, query: Float[Tensor, "*#B Q Dq"], key: Float[Tensor, "*#B K Dk"]) -> Form:
        """Distances, squared."""
        return Radial(query, key, _minus_square, as_scalar(self.width, query))

    def is_inner(self, mask: "Mask | None" = None) -> bool:
        """Up to the row constant, always."""
        return True

    def inner(
        self,
        query: Float[Tensor, "*#B Q Dq"],
        key: Float[Tensor, "*#B K Dk"],
        mask: "Mask | None" = None,
    ) -> Inner:
        """Twice the dot product minus the squared norm of the key.

        Both sides are first moved so that the first key lies at zero: distances stay, and the
        terms that cancel stay small. (A mean of all keys would be at the mercy of padding.)
        """
        first = key[..., :1, :].detach() if key.shape[-2] else 0.0
        query, key = query - first, key - first
        if isinstance(self.width, Tensor):
            width = as_scalar(self.width, query)
            query, key = query / width, key / width
            return Inner(query, key, 2.0, -_squared_norm(key))
        unit = self.width**-2
        return Inner(query, key, 2.0 * unit, _squared_norm(key) * -unit)


def _squared_norm(vectors: Tensor) -> Tensor:
    """Unlike a product and its sum, this makes no tensor as large as the vectors."""
    wide = torch.promote_types(vectors.dtype, torch.float32)  # rounded once, not root and square
    return torch.linalg.vector_norm(vectors, dim=-1, dtype=wide).square().to(vectors.dtype)


def _minus_square(distance: Tensor) -> Tensor:
    return -distance.square()
