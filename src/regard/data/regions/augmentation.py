"""Pictures moved, turned over, enlarged and coloured, and their boxes and masks along with them."""

from typing import NamedTuple

import torch
from torch.nn.functional import affine_grid, grid_sample

from regard.types import Float, Int, Tensor, UInt8

from .changes import RegionChanges

NO_OBJECT = -1
"""The label of a row that stands for no object."""
IGNORED = 255
"""The class of a pixel that does not count."""
SEEN = 0.3
"""Share of a box that must stay in the picture for the object to count."""


class Pictured(NamedTuple):
    """Pictures with what is in them."""

    pixels: UInt8[Tensor, "B 3 Y X"]
    boxes: Float[Tensor, "B N 4"]
    """Left, top, right and bottom edge in pixels."""
    labels: Int[Tensor, "B N"]
    """``NO_OBJECT`` where there is none."""
    masks: UInt8[Tensor, "B Y X"] | None = None
    """Classes of pixels, ``IGNORED`` where none counts."""


class RegionAugmentation(RegionChanges):
    """Changes pictures, and their boxes and masks with them.

    What is drawn comes from torch's own generator, which training seeds for each step: the pictures
    of step n are the same whether a run came there in one go or was resumed.
    """

    def __call__(self, given: Pictured) -> Pictured:
        """Other pictures of the same size."""
        count = len(given.pixels)
        if not count:
            return given
        scale, shift = self._drawn(count, given.pixels.device)
        return moved(given._replace(pixels=self._coloured(given.pixels)), scale, shift)

    def _drawn(self, count: int, device: torch.device) -> tuple[Tensor, Tensor]:
        """Factors (B, 2) and ways (B, 2) of x and y; a negative factor mirrors."""
        ratio = torch.rand(count, 1) * (self.largest / self.smallest - 1) + 1
        stretched = 1 + self.stretch * (torch.rand(count, 1) * 2 - 1)
        factors = torch.cat([stretched.sqrt(), stretched.rsqrt()], dim=1)
        scale = self.smallest * ratio * factors  # (B, 2)
        shares = torch.tensor([self.flip, self.upside_down])
        scale = torch.where(torch.rand(count, 2) < shares, -scale, scale)
        shift = self.shift * (torch.rand(count, 2) * 2 - 1)
        return scale.to(device), shift.to(device)

    def _coloured(self, pixels: Tensor) -> Tensor:
        if not (self.brightness or self.contrast or self.saturation):
            return pixels
        found = pixels.float()
        drawn = (torch.rand(3, len(pixels), 1, 1, 1) * 2 - 1).to(pixels.device)
        found = found * (1 + self.brightness * drawn[0])
        centre = found.mean(dim=(1, 2, 3), keepdim=True)
        found = centre + (found - centre) * (1 + self.contrast * drawn[1])
        grey = found.mean(dim=1, keepdim=True)
        found = grey + (found - grey) * (1 + self.saturation * drawn[2])
        return found.round_().clamp_(0, 255).to(torch.uint8)


def moved(given: Pictured, scale: Float[Tensor, "B 2"], shift: Float[Tensor, "B 2"]) -> Pictured:
    r"""Every picture enlarged about its middle, then moved.

    .. math:: x' = s\, x + t

    in coordinates from −1 to 1 over the picture. What was outside mirrors what lies at the edge,
    and of the classes of its pixels none counts. An object of which too little is left is none.

    Args:
        given: the pictures.
        scale: s of x and y; a negative one mirrors.
        shift: t of x and y, in sides of the picture.
    """
    pixels = given.pixels
    theta = torch.diag_embed(1 / scale)
    theta = torch.cat([theta, (-2 * shift / scale).unsqueeze(-1)], dim=-1)  # (B, 2, 3)
    grid = affine_grid(theta, list(pixels.shape), align_corners=False).to(torch.float32)
    resampled = grid_sample(
        pixels.float(), grid, mode="bilinear", padding_mode="reflection", align_corners=False
    )
    masks = given.masks
    if masks is not None:
        counted = masks.float().unsqueeze(1) - IGNORED  # so that the zeros outside are ignored
        near = grid_sample(counted, grid, mode="nearest", padding_mode="zeros", align_corners=False)
        masks = (near[:, 0] + IGNORED).round().to(given.masks.dtype)  # type: ignore[union-attr]
    boxes, labels = _moved_boxes(given, scale, shift)
    return Pictured(resampled.round_().clamp_(0, 255).to(torch.uint8), boxes, labels, masks)


def _moved_boxes(given: Pictured, scale: Tensor, shift: Tensor) -> tuple[Tensor, Tensor]:
    """Boxes where they are now, cut at the edges, and the labels of those that are left."""
    height, width = given.pixels.shape[2:]
    extent = given.boxes.new_tensor([width, height])
    corners = given.boxes.unflatten(-1, (2, 2)) / extent  # (B, N, 2 corners, 2)
    placed = (corners - 0.5) * scale[:, None, None] + 0.5 + shift[:, None, None]
    low, high = placed.amin(dim=2), placed.amax(dim=2)  # (B, N, 2)
    inside = low.clamp(0, 1), high.clamp(0, 1)
    area = (high - low).prod(dim=-1)
    left = (inside[1] - inside[0]).prod(dim=-1)
    gone = left < SEEN * area.clamp(min=1e-12)
    boxes = torch.cat([inside[0] * extent, inside[1] * extent], dim=-1)
    return boxes, given.labels.masked_fill(gone, NO_OBJECT)
