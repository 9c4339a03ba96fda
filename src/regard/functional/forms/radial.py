"""Functions of the distance between two vectors."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from regard.types import Float, Tensor

from .base import At, Vectors
from .sided import Sided

Profile = Callable[[Tensor], Tensor]


@dataclass(frozen=True, eq=False)
class Radial(Sided):
    r"""A profile of the distance in units of a width.

    .. math:: e_{qk} = \phi(\lVert q_q - k_k \rVert / w)

    Distances are differences first, squares after: no cancellation for near vectors.

    Args:
        query: queries (*B, Q, D).
        key: keys (*B, K, D).
        profile: φ, elementwise.
        width: w, a tensor of no axes; may carry a gradient.
    """

    profile: Profile
    width: Tensor

    @property
    def shared(self) -> Vectors:  # type: ignore[override]
        """The width."""
        return (self.width,)

    def tile(
        self, rows: Vectors, columns: Vectors, shared: Vectors, at: At
    ) -> Float[Tensor, "*B r c"]:
        """Pairwise distances, then the profile."""
        mode = "donot_use_mm_for_euclid_dist"
        return self.profile(torch.cdist(rows[0], columns[0], compute_mode=mode) / shared[0])
