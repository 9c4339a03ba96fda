"""Looking at attention: capture, records, gradient flow, views and plots."""

from .capture import attention_modules as attention_modules
from .capture import capture as capture
from .cell import Cell as Cell
from .decompose import Shares as Shares
from .decompose import decompose as decompose
from .decompose import frozen_share as frozen_share
from .edits import CutLink as CutLink
from .edits import Effect as Effect
from .edits import HeadOff as HeadOff
from .edits import Patched as Patched
from .edits import Swapped as Swapped
from .edits import Uniform as Uniform
from .edits import WithWeights as WithWeights
from .edits import edit as edit
from .edits import effect as effect
from .edits import swap as swap
from .gradient_flow import gradient_flow as gradient_flow
from .inputs import Inputs as Inputs
from .inputs import Side as Side
from .look import Look as Look
from .maps import Maps as Maps
from .maps import Tokens as Tokens
from .receipt import Receipt as Receipt
from .record import Record as Record
from .scene import Scene as Scene
from .scene import scene_of as scene_of
