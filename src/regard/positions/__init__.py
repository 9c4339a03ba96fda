"""Positions: attention sees a set; these say where in a sequence or an image a vector stands.

Some join the input (``position(x, start)``), some turn queries and keys (``position.rotate(x,
start)``), some are a term of the score (``position.term(start)``).
"""

from .grid2d import Grid2d as Grid2d
from .grid2d import grid2d as grid2d
from .joining import InputPosition as InputPosition
from .learned import Learned as Learned
from .learned import Linear as Linear
from .learned import linear as linear
from .relative import Alibi as Alibi
from .relative import RelativeBias as RelativeBias
from .relative import ShawKeys as ShawKeys
from .relative import T5Bias as T5Bias
from .relative import t5_buckets as t5_buckets
from .rotary import Rotary as Rotary
from .rotary_scaling import Llama3 as Llama3
from .rotary_scaling import LongRoPE as LongRoPE
from .rotary_scaling import NTKAware as NTKAware
from .rotary_scaling import RotaryScaling as RotaryScaling
from .rotary_scaling import Stretched as Stretched
from .rotary_scaling import YaRN as YaRN
from .sinusoidal import Sinusoidal as Sinusoidal
from .sinusoidal import sinusoidal as sinusoidal

__all__ = [
    "Alibi",
    "Grid2d",
    "InputPosition",
    "Learned",
    "Linear",
    "Llama3",
    "LongRoPE",
    "NTKAware",
    "RelativeBias",
    "Rotary",
    "RotaryScaling",
    "ShawKeys",
    "Sinusoidal",
    "Stretched",
    "T5Bias",
    "YaRN",
    "grid2d",
    "linear",
    "sinusoidal",
    "t5_buckets",
]
