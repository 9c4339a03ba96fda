"""A retina: sharp where it looks, blurred around."""

import torch
from torch import nn
from torch.nn.functional import avg_pool2d, grid_sample

from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.types import Float, Tensor


@mechanism(
    "recurrent glimpses",
    family="vision",
    equation="gₜ = f_g(ρ(x, lₜ₋₁), lₜ₋₁),  hₜ = f_h(hₜ₋₁, gₜ),  lₜ ~ N(f_l(hₜ), σ²)",
    cost="O(S w²) a glimpse, whatever the picture's size",
    paper=("Mnih 2014", "https://arxiv.org/abs/1406.6247"),
)
class Retina(nn.Module):
    r"""Patches of one size around a place, each of a picture half as fine as the one before.

    .. math:: \rho(x, l)_s = \text{patch}_w(\text{shrunk}^s(x), l), \quad s = 0, \dots, S - 1

    Mnih et al. 2014, section 3.1 (https://arxiv.org/abs/1406.6247). A place is (x, y) from −1 to 1,
    corners of the picture being the ends; beyond its edges there are zeros. Between pixels it is
    interpolated, so that a place need not be whole. This is ρ; the state h, the network f_l that
    says where to look next, and REINFORCE by which it learns are
    :class:`regard.models.vision.Glimpses`.

    >>> levels = retina.levels(pictures)        # once
    >>> seen = retina(levels, places)           # for every glimpse

    Args:
        size: w, rows and columns of a patch.
        scales: S, how many patches.
    """

    def __init__(self, size: int, scales: int) -> None:
        super().__init__()
        require_sizes(self, size=size, scales=scales)
        self.size, self.scales = size, scales
        steps = torch.arange(size) - (size - 1) / 2
        offsets = torch.stack(torch.meshgrid(steps, steps, indexing="xy"), dim=-1)  # (w, w, 2)
        self.register_buffer("offsets", offsets, persistent=False)
        self.offsets: Tensor

    def levels(self, pictures: Float[Tensor, "B C Y X"]) -> list[Float[Tensor, "B C _ _"]]:
        """The pictures at every scale, the finest first; once for all glimpses."""
        found = [pictures]
        for _ in range(self.scales - 1):
            found.append(avg_pool2d(found[-1], 2, ceil_mode=True, count_include_pad=False))
        return found

    def forward(
        self, levels: list[Float[Tensor, "B C _ _"]], places: Float[Tensor, "B 2"]
    ) -> Float[Tensor, "B S C w w"]:
        """What is seen from ``places``; no gradient goes into them."""
        finest = levels[0]
        extent = finest.new_tensor([finest.shape[3], finest.shape[2]])  # pixels in x and y
        seen = []
        for scale, level in enumerate(levels):
            shift = self.offsets.to(finest.dtype) * 2**scale / extent * 2  # (w, w, 2)
            grid = places.detach().to(finest.dtype).view(-1, 1, 1, 2) + shift
            # A level whose sides were odd reaches beyond the picture by half a pixel of its own.
            reach = extent / (extent.new_tensor([level.shape[3], level.shape[2]]) * 2**scale)
            grid = (grid + 1) * reach - 1
            seen.append(grid_sample(level, grid, padding_mode="zeros", align_corners=False))
        return torch.stack(seen, dim=1)
