"""Interventions: switch a head off, cut a link, replace weights or contexts, and run again."""

from .effect import Effect as Effect
from .effect import effect as effect
from .links import CutLink as CutLink
from .patches import HeadOff as HeadOff
from .patches import Patched as Patched
from .run import edit as edit
from .run import swap as swap
from .swapped import Swapped as Swapped
from .swapped import Uniform as Uniform
from .swapped import WithWeights as WithWeights
