"""The spatial half of CBAM."""

import torch

from regard.errors import RangeError
from regard.functional.events import StoredWeights
from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.papers import WOO_2018
from regard.types import Float, Tensor

from ..base import AttentionModule
from .dimensions import dimensions
from .features import PositionMask, allowed_positions, require_features


@mechanism(
    "spatial attention",
    family="vision",
    equation="σ(conv([mean_c x; max_c x]))",
    cost="O(C H W)",
    paper=WOO_2018,
)
class SpatialAttention(AttentionModule):
    r"""One number between 0 and 1 per position, from its neighbourhood: *where* to look.

    .. math:: M_s(F) = \sigma\bigl(f^{7 \times 7}([F^s_{avg}; F^s_{max}])\bigr), \quad
              F' = M_s(F) \odot F

    Woo et al. 2018, Eq. 3 (https://arxiv.org/abs/1807.06521); mean and maximum are those over the
    channels of a position. Theirs → ours: f → ``convolution``, M_s → :meth:`gate`. Any number of
    channels. O(P (C + k^dims)) time.

    Args:
        kernel_size: k, how far a position looks around, an odd number.
        dims: axes of the positions: 1, 2 or 3.
    """

    def __init__(self, kernel_size: int = 7, *, dims: int = 2) -> None:
        super().__init__()
        require_sizes(self, kernel_size=kernel_size)
        if kernel_size % 2 == 0:
            raise RangeError(
                "SpatialAttention needs an odd kernel_size, so that a position is the centre of "
                f"what it sees, got {kernel_size}"
            )
        self.dims = dims
        convolution = dimensions(self, dims).convolution
        self.convolution = convolution(2, 1, kernel_size, padding=kernel_size // 2, bias=False)

    def gate(
        self, features: Float[Tensor, "B C *P"], mask: PositionMask | None = None
    ) -> Float[Tensor, "B 1 *P"]:
        """How far each position is let through.

        Args:
            features: what is looked at.
            mask: which positions are real: booleans (B, *P), or lengths (B,); the others count as
                the zeros around the map do.
        """
        require_features(self, features, dims=self.dims)
        described = torch.stack([features.mean(dim=1), features.amax(dim=1)], dim=1)  # (B, 2, *P)
        allowed = allowed_positions(features, mask)
        if allowed is not None:
            described = described.masked_fill(~allowed, 0)
        gate = torch.sigmoid(self.convolution(described))
        if self.watchers:
            self.notify(StoredWeights(gate.detach()))
        return gate

    def forward(
        self, features: Float[Tensor, "B C *P"], mask: PositionMask | None = None
    ) -> Float[Tensor, "B C *P"]:
        """The features, position by position times their gate."""
        return features * self.gate(features, mask)
