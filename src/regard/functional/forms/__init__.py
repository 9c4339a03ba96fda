"""Forms: what is left of a score once its vectors are projected."""

from .base import Form as Form
from .base import Tile as Tile
from .base import Vectors as Vectors
from .base import take_heads as take_heads
from .called import Called as Called
from .gated import GatedTanh as GatedTanh
from .inner import Inner as Inner
from .positional import Positional as Positional
from .positional import leading_axes as leading_axes
from .radial import Radial as Radial
from .radial import root as root
from .scaled import Scaled as Scaled
from .tanh import Tanh as Tanh
from .tanh_cached import Looks as Looks
from .total import Total as Total
