"""Regions of a picture as vectors: all places of a grid, or what lies in boxes."""

from typing import Literal, NamedTuple

import torch
from torch import nn
from torch.nn.functional import grid_sample

from regard.errors import InputError
from regard.types import Bool, Float, Int, Tensor

from ..dropout import Dropout
from .grids import Annotations, AnyGrid

RegionKind = Literal["grid", "boxes"]
POINTS = 3
"""Rows and columns of points in a box at which the grid is read."""
GEOMETRY = 6
"""Numbers that say where a box is and how large."""


class Boxes(NamedTuple):
    """What is looked at in each picture of a batch: as many boxes as the fullest has."""

    corners: Float[Tensor, "B N 4"]
    """Left, top, right and bottom edge, as shares of the picture."""
    allowed: Bool[Tensor, "B N"]
    """Which of them are boxes; the others fill up."""

    def to(self, device: torch.device | str) -> "Boxes":
        """The same on another device."""
        return Boxes(self.corners.to(device), self.allowed.to(device))


class Seen(NamedTuple):
    """Regions to look at."""

    features: Float[Tensor, "_ K M"]
    allowed: Bool[Tensor, "_ K"] | None
    """Which regions there are; all if ``None``."""

    def of(self, owners: Int[Tensor, " B"] | None) -> "Seen":
        """The regions that each of several questions looks at.

        Args:
            owners: the picture of every question; one question a picture if not given.
        """
        if owners is None:
            return self
        allowed = None if self.allowed is None else self.allowed.index_select(0, owners)
        return Seen(self.features.index_select(0, owners), allowed)

    def mean(self) -> Float[Tensor, "B M"]:
        """The mean of the regions that there are; zero where there is none."""
        if self.allowed is None:
            return self.features.mean(dim=1)
        allowed = self.allowed.unsqueeze(-1)
        return self.features.where(allowed, 0).sum(dim=1) / allowed.sum(dim=1).clamp(min=1)


def pooled(
    features: Float[Tensor, "B C Y X"], corners: Float[Tensor, "B N 4"], *, points: int = POINTS
) -> Float[Tensor, "B N C"]:
    r"""What a grid shows in boxes: the mean of points inside, read between places bilinearly.

    .. math:: v_b = \frac1{n^2} \sum_{i, j} f\Bigl(x_0 + \tfrac{i + 1/2}n (x_1 - x_0),\;
              y_0 + \tfrac{j + 1/2}n (y_1 - y_0)\Bigr)

    RoIAlign of He et al. 2017, section 3 (https://arxiv.org/abs/1703.06870) with one bin of n × n
    points. The grid is held to lie over the whole picture.

    Args:
        features: of the grid.
        corners: of the boxes, as shares of the picture.
        points: n.
    """
    count = corners.shape[1]
    shares = (torch.arange(points, device=corners.device) + 0.5) / points  # (n,)
    low, high = corners[..., :2].unsqueeze(-1), corners[..., 2:].unsqueeze(-1)  # (B, N, 2, 1)
    at = 2 * (low + shares * (high - low)) - 1  # (B, N, 2, n), from -1 to 1
    x, y = (axis.to(features.dtype) for axis in at.unbind(dim=2))  # (B, N, n)
    grid = torch.stack(
        [
            x.unsqueeze(-2).expand(-1, -1, points, -1),
            y.unsqueeze(-1).expand(-1, -1, -1, points),
        ],
        dim=-1,
    )  # (B, N, n, n, 2)
    flat = grid.reshape(len(features), count, points * points, 2)
    found = grid_sample(
        features, flat, mode="bilinear", padding_mode="border", align_corners=False
    )  # (B, C, N, n²)
    return found.mean(dim=-1).mT


def geometry(corners: Float[Tensor, "B N 4"]) -> Float[Tensor, "B N G"]:
    """Both corners, width and height of every box."""
    return torch.cat([corners, corners[..., 2:] - corners[..., :2]], dim=-1)


class Regions(nn.Module):
    """The regions of pictures, a vector for each.

    Args:
        grid: where the grid comes from.
        width: of the vectors.
        kind: whether regions are the places of the grid, or boxes.
        positions: whether places know where they stand; boxes always do.
        dropout: probability with which a feature is dropped in training.
    """

    def __init__(
        self,
        grid: AnyGrid,
        width: int,
        *,
        kind: RegionKind,
        positions: bool,
        dropout: float,
    ) -> None:
        super().__init__()
        self.kind = kind
        self.annotations = Annotations(grid, width, positions=positions, dropout=dropout)
        if kind == "boxes":
            self.proj = nn.Linear(grid.features + GEOMETRY, width)
            self.norm, self.dropout = nn.LayerNorm(width), Dropout(dropout)

    def forward(self, pictures: Tensor, boxes: Boxes | None = None) -> Seen:
        """All regions.

        Raises:
            InputError: boxes for a model of places, or none for one of boxes.
        """
        if self.kind == "grid":
            if boxes is not None:
                raise InputError("this model looks at the places of a grid, got boxes beside them")
            return Seen(self.annotations(pictures), None)
        if boxes is None:
            raise InputError("this model looks at boxes, got pictures without any; pass them")
        features = self.annotations.encoder(pictures)
        found = torch.cat([pooled(features, boxes.corners), geometry(boxes.corners)], dim=-1)
        seen = self.proj(found.to(self.proj.weight.dtype)).relu()
        return Seen(self.dropout(self.norm(seen)), boxes.allowed)
