"""Forms: what is left of a score once its vectors are projected."""

from .base import At as At
from .base import Form as Form
from .base import Vectors as Vectors
from .base import take_heads as take_heads
from .gated import GatedTanh as GatedTanh
from .inner import Inner as Inner
from .positional import Positional as Positional
from .positional import leading_axes as leading_axes
from .radial import Radial as Radial
from .tanh import Tanh as Tanh
from .total import Total as Total
