"""NumPy helpers for the bookkeeping of searches: a few numbers per sentence.

NumPy, not torch: on arrays as small as these, most of an operation of torch is to call it.
"""

from typing import Any

import numpy as np

from regard.types import Float, Int, Tensor

Array = np.ndarray


def whole(tensor: Tensor) -> Any:
    """The numbers of a tensor, wherever it is."""
    return tensor.numpy(force=True)


def highest(x: Float[Array, "B C"], count: int) -> Int[Array, "B c"]:
    """Where the ``count`` highest numbers of each row stand, or all of them, the highest first."""
    return np.argsort(-x, axis=-1, kind="stable")[:, :count]
