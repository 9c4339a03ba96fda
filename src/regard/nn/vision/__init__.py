"""Attention over images: their channels, their positions, their regions and their patches.

Features are (B, C, \\*P): a batch, channels, then one, two or three axes of positions.
"""

from .cbam import CBAM as CBAM
from .channel_attention import ChannelAttention as ChannelAttention
from .non_local import NonLocal as NonLocal
from .patch_embedding import PatchEmbedding as PatchEmbedding
from .residual_attention import ResidualAttention as ResidualAttention
from .spatial_attention import SpatialAttention as SpatialAttention
from .squeeze_excitation import SqueezeExcitation as SqueezeExcitation
from .top_down import TopDownAttention as TopDownAttention
