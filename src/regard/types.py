"""The axis letters of every signature, page and picture.

======  ============================================================================
letter  axis
======  ============================================================================
``A``   hidden width of an additive score
``B``   any leading axes (batch, heads, …); in models the sentences of a batch
``C``   channels of an image or convolution; columns of tiles; candidates of a search
``D``   width of queries and keys, of the input of a cell
``E``   width of values; in searches, hypotheses that have ended
``F``   width between the two maps of a feed-forward layer
``G``   heads of keys and values that groups of query heads share
``H``   heads; in cells and recurrent models the width of the hidden state
``I``   words of the source, where tokens are joined to words
``J``   words of the target, likewise
``K``   key positions
``L``   layers; lists of pages in a page table
``M``   width of the model
``N``   positions of one sequence that is query and key; rows of a matrix
``O``   width of an output
``P``   positions of an image, any number of axes; panels of a packed matrix
``Q``   query positions
``R``   rows that are worked on together: of tiles, of a search, of packed sentences
``S``   tokens of the source
``T``   tokens of the target
``V``   vocabulary
``W``   any other width; windows
``X``   columns of an image
``Y``   rows of an image
``Z``   width of a pair representation
======  ============================================================================

A small letter behind tells two of a kind apart (``Dq``, ``Dk``); ``r``, ``c`` and ``n`` are some
rows, columns or positions of a whole.
"""

import os

from jaxtyping import Bool, Float, Int, UInt8
from torch import Tensor

__all__ = ["Bool", "Float", "Int", "PathLike", "Tensor", "UInt8"]

PathLike = str | os.PathLike[str]
"""A file or folder, as text or as a :class:`pathlib.Path`."""
