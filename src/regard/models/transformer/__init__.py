"""The Transformer: ``model.py``, its layers in ``layers.py``; ``fast/`` is the same, faster."""

from .config import TransformerConfig as TransformerConfig
from .config import transformer_base as transformer_base
from .config import transformer_small as transformer_small
from .config import transformer_tiny as transformer_tiny
from .model import Transformer as Transformer
from .state import TransformerState as TransformerState
