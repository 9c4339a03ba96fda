"""Rotary positions of a grid: half of the features turn with the row, half with the column."""

import torch
from torch import nn

from regard.errors import RangeError, ShapeError
from regard.positions.sinusoidal import angles
from regard.types import Float, Tensor


class GridRotary(nn.Module):
    r"""Queries and keys of patches turned by where they stand: up and down, left and right.

    .. math:: x' = [R_y \, x_{1 \ldots D/2};\; R_x \, x_{D/2 + 1 \ldots D}]

    Su et al. 2021 (https://arxiv.org/abs/2104.09864) on either axis, as Heo et al. 2024
    (https://arxiv.org/abs/2403.13298) compare it for pictures ("axial"). What stands before the
    patches, such as a class token, does not turn. No state: the grid is said by whoever calls.

    Args:
        dim: D, width of a head; a multiple of 4.
        before: tokens before the patches.
        base: of the angles; 100 for grids that are small.
    """

    def __init__(self, dim: int, *, before: int = 0, base: float = 100.0) -> None:
        super().__init__()
        if dim % 4:
            raise RangeError(f"GridRotary needs heads whose width is a multiple of 4, got {dim}")
        self.dim, self.before, self.base = dim, before, base
        self.grid: tuple[int, int] = (1, 1)

    def rotate(self, x: Float[Tensor, "*B N D"], start: int = 0) -> Float[Tensor, "*B N D"]:
        """Queries or keys turned to their places.

        Raises:
            ShapeError: not as many of them as the grid has places.
        """
        height, width = self.grid
        if x.shape[-2] != self.before + height * width:
            raise ShapeError(
                f"GridRotary needs {self.before} tokens and {height} × {width} patches, got "
                f"{tuple(x.shape)}"
            )
        cos, sin = self._turns(x)
        first, second = x.unflatten(-1, (-1, 2)).unbind(-1)  # (*B, N, D / 2)
        turned = torch.stack([first * cos - second * sin, second * cos + first * sin], dim=-1)
        return turned.flatten(-2)

    def _turns(self, like: Tensor) -> tuple[Tensor, Tensor]:
        """Cosine and sine, (N, D / 2): of rows, then of columns; 1 and 0 before the patches."""
        height, width = self.grid
        cells = torch.arange(height * width, device=like.device)
        half = self.dim // 2
        rows = angles(cells // width, dim=half, base=self.base)
        columns = angles(cells % width, dim=half, base=self.base)
        theta = torch.cat([rows, columns], dim=-1).to(like.dtype)  # (h w, D / 2)
        theta = torch.cat([theta.new_zeros(self.before, self.dim // 2), theta])
        return theta.cos(), theta.sin()
