"""From a latent to a picture: a small map that doubles its sides until it is one."""

from itertools import pairwise

import torch
from torch import nn
from torch.nn.functional import interpolate

from regard.types import Float, Tensor

from ..vision.encoder import COLOURS, channels_last


def halved(height: int, width: int, times: int) -> list[tuple[int, int]]:
    """A size and its halves, rounded up, from the smallest to itself."""
    found = [(height, width)]
    for _ in range(times):
        high, wide = found[-1]
        found.append((-(-high // 2), -(-wide // 2)))
    return found[::-1]


class PictureDecoder(nn.Module):
    r"""A map of the latent, then the nearest neighbour twice as large and a convolution, and again.

    .. math:: \hat x = \sigma(W_o * h_n), \quad
              h_i = \text{ReLU}(\text{GN}(W_i * \text{up}(h_{i-1}))), \quad h_0 = \text{ReLU}(W z)

    Enlarged before it is convolved, so that no chequered pattern comes (Odena et al. 2016,
    https://doi.org/10.23915/distill.00003). Sides that are odd are met exactly: each stage is as
    large as the picture halved so many times, rounded up.

    Args:
        latent: Z.
        height: of the pictures.
        width: likewise.
        widths: channels of every stage, the smallest map first.
    """

    def __init__(self, latent: int, *, height: int, width: int, widths: tuple[int, ...]) -> None:
        super().__init__()
        first, *rest = self.sizes = halved(height, width, len(widths) - 1)
        self.grid = (widths[0], *first)
        self.expand = nn.Linear(latent, widths[0] * first[0] * first[1])
        self.convolutions = nn.ModuleList(
            nn.Conv2d(narrow, wide, 3, padding=1) for narrow, wide in pairwise(widths)
        )
        self.norms = nn.ModuleList(nn.GroupNorm(1, wide) for wide in widths[1:])
        assert len(rest) == len(self.convolutions)
        self.output = nn.Conv2d(widths[-1], COLOURS, 3, padding=1)
        channels_last(self)

    def forward(self, latent: Float[Tensor, "B Z"]) -> Float[Tensor, "B 3 Y X"]:
        """Colours from 0 to 1."""
        x = torch.relu(self.expand(latent)).unflatten(-1, self.grid)  # (B, C, y, x)
        for size, convolution, norm in zip(
            self.sizes[1:], self.convolutions, self.norms, strict=True
        ):
            x = torch.relu(norm(convolution(interpolate(x, size=size, mode="nearest"))))
        return torch.sigmoid(self.output(x))
