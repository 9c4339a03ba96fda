"""At least float32, whatever comes in."""

import torch

from regard.types import Tensor


def widened(x: Tensor) -> Tensor:
    """``x`` in at least float32, where scores and weights are computed."""
    return x.to(torch.promote_types(x.dtype, torch.float32))
