"""Functions of the distance between two vectors."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch

from regard.types import Float, Int, Tensor

from .base import At, Form, Vectors, take_heads

Profile = Callable[[Tensor], Tensor]


@dataclass(frozen=True, eq=False)
class Radial(Form):
    r"""A profile of the distance in units of a width.

    .. math:: e_{qk} = \phi(\lVert q_q - k_k \rVert / w)

    Distances are differences first, squares after: no cancellation for near vectors.

    Args:
        query: queries (*B, Q, D).
        key: keys (*B, K, D).
        profile: φ, elementwise.
        width: w, a tensor of no axes; may carry a gradient.
    """

    query: Tensor
    key: Tensor
    profile: Profile
    width: Tensor

    @property
    def rows(self) -> Vectors:  # type: ignore[override]
        """The queries."""
        return (self.query,)

    @property
    def columns(self) -> Vectors:  # type: ignore[override]
        """The keys."""
        return (self.key,)

    @property
    def shared(self) -> Vectors:  # type: ignore[override]
        """The width."""
        return (self.width,)

    def of_heads(self, heads: Int[Tensor, " h"]) -> "Radial":
        """The vectors of these heads."""
        query, key = take_heads(self.query, heads), take_heads(self.key, heads)
        return replace(self, query=query, key=key)

    def tile(
        self, rows: Vectors, columns: Vectors, shared: Vectors, at: At
    ) -> Float[Tensor, "*B r c"]:
        """Pairwise distances, then the profile."""
        mode = "donot_use_mm_for_euclid_dist"
        return self.profile(torch.cdist(rows[0], columns[0], compute_mode=mode) / shared[0])
