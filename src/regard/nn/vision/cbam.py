"""The convolutional block attention module."""

from regard.mechanism import mechanism
from regard.papers import WOO_2018
from regard.types import Float, Tensor

from ..base import AttentionModule
from .channel_attention import ChannelAttention
from .features import PositionMask
from .spatial_attention import SpatialAttention


@mechanism(
    "CBAM",
    family="vision",
    equation="spatial(channel(x))",
    cost="O(C² / r + C H W)",
    paper=WOO_2018,
)
class CBAM(AttentionModule):
    r"""Channel attention, then spatial attention over what it let through.

    .. math:: F' = M_c(F) \odot F, \quad F'' = M_s(F') \odot F'

    Woo et al. 2018, Eq. 1 (https://arxiv.org/abs/1807.06521). Theirs → ours: M_c → ``channel``,
    M_s → ``spatial``, which a capture shows under these names. O(C P + C² / r + P k^dims) time.

    Args:
        channels: C.
        reduction: r of :class:`ChannelAttention`.
        kernel_size: k of :class:`SpatialAttention`.
        dims: axes of the positions: 1, 2 or 3.
    """

    def __init__(
        self, channels: int, *, reduction: int = 16, kernel_size: int = 7, dims: int = 2
    ) -> None:
        super().__init__()
        self.channel = ChannelAttention(channels, reduction)
        self.spatial = SpatialAttention(kernel_size, dims=dims)

    def forward(
        self, features: Float[Tensor, "B C *P"], mask: PositionMask | None = None
    ) -> Float[Tensor, "B C *P"]:
        """The features, gated twice.

        Args:
            features: what is looked at.
            mask: which positions are real: booleans (B, *P), or lengths (B,).
        """
        return self.spatial(self.channel(features, mask), mask)
