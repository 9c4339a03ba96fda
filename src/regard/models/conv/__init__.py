"""Convolutions over sequences."""

from .config import ConvS2SConfig as ConvS2SConfig
from .config import convs2s_small as convs2s_small
from .encoder import ConvEncoder as ConvEncoder
from .model import ConvS2S as ConvS2S
from .state import ConvState as ConvState
