"""Fewer positions to look at, by max pooling."""

import torch
from torch import nn

from regard.errors import ShapeError
from regard.functional.value import require_sizes
from regard.types import Bool, Float, Tensor

from .dimensions import dimensions


class Subsample(nn.Module):
    """The maximum of every window of positions, over those of them that are allowed.

    Args:
        factor: size and stride of the windows, for all axes or for each.
        dims: axes of the positions: 1, 2 or 3.
    """

    def __init__(self, factor: int | tuple[int, ...], *, dims: int) -> None:
        super().__init__()
        pool = dimensions(self, dims).max_pool
        factors = (factor,) * dims if isinstance(factor, int) else tuple(factor)
        if len(factors) != dims:
            raise ShapeError(
                f"subsample needs one factor, or one for each of {dims} axes, got {factor}"
            )
        for each in factors:
            require_sizes(self, factor=each)
        self.keeps_all = all(each == 1 for each in factors)
        self.pool = pool(factors, ceil_mode=True)

    def any(self, allowed: Bool[Tensor, "B 1 *P"]) -> Bool[Tensor, "B 1 *K"]:
        """Windows that have an allowed position."""
        return allowed if self.keeps_all else self.pool(allowed.float()) > 0

    def forward(
        self, features: Float[Tensor, "B C *P"], allowed: Bool[Tensor, "B 1 *P"] | None = None
    ) -> Float[Tensor, "B C *K"]:
        """The maxima; 0 for a window without an allowed position."""
        if allowed is None:
            return self.pool(features)
        lowest = torch.finfo(features.dtype).min
        found = self.pool(features.masked_fill(~allowed, lowest))
        return found.masked_fill(~self.any(allowed), 0)
