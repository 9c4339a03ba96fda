"""The axis letters of every signature, page and picture.

==========  ======================================
letter      axis
==========  ======================================
``B``       any leading axes (batch, heads, …)
``H``       heads
``Q``       query positions
``K``       key positions
``D``       width of queries and keys
``E``       width of values
``M``       width of the model
``A``       hidden width of a score
``V``       vocabulary
``L``       layers
==========  ======================================
"""

import os

from jaxtyping import Bool, Float, Int
from torch import Tensor

__all__ = ["Bool", "Float", "Int", "PathLike", "Tensor"]

PathLike = str | os.PathLike[str]
"""A file or folder, as text or as a :class:`pathlib.Path`."""
