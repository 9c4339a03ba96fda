"""Forms: what is left of a score once its vectors are projected."""

from .base import Form as Form
from .base import Pairs as Pairs
from .base import Tile as Tile
from .base import Vectors as Vectors
from .base import leading_axes as leading_axes
from .base import take_heads as take_heads
from .composed import Moved as Moved
from .composed import Positional as Positional
from .composed import Scaled as Scaled
from .composed import Total as Total
from .inner import Inner as Inner
from .pieced import Called as Called
from .pieced import GatedTanh as GatedTanh
from .radial import Radial as Radial
from .radial import root as root
from .tanh import Looks as Looks
from .tanh import Tanh as Tanh
