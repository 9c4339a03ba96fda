"""One example for every mechanism of the catalogue."""

from . import cells as cells
from . import fusion as fusion
from . import normalisers as normalisers
from . import pooling as pooling
from . import positions as positions
from . import scores as scores
from . import vision as vision
from . import ways as ways
from .example import EXAMPLES as EXAMPLES
from .example import Example as Example
