"""Attention over images: their channels, their positions, their regions and their patches.

Features are (B, C, \\*P): a batch, channels, then one, two or three axes of positions.
"""

from .attachment import ATTENTIONS as ATTENTIONS
from .attachment import add_attention as add_attention
from .attention_gate import AttentionGate as AttentionGate
from .context import GlobalContext as GlobalContext
from .coordinates import CoordinateAttention as CoordinateAttention
from .efficient import EfficientChannelAttention as EfficientChannelAttention
from .gates import CBAM as CBAM
from .gates import ChannelAttention as ChannelAttention
from .gates import SpatialAttention as SpatialAttention
from .gates import SqueezeExcitation as SqueezeExcitation
from .non_local import NonLocal as NonLocal
from .patch_embedding import PatchEmbedding as PatchEmbedding
from .residual_attention import ResidualAttention as ResidualAttention
from .retina import Retina as Retina
from .timm import timm_weights as timm_weights
from .top_down import TopDownAttention as TopDownAttention
