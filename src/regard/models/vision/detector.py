"""Objects as points: an anchor-free detector on a convolutional network, with attention or without.

Zhou et al. 2019 (https://arxiv.org/abs/1904.07850) find the centres of objects as peaks of a heat
map; Tian et al. 2019 (https://arxiv.org/abs/1904.01355) tell at each place how far the four edges
of its box are away. Both together, as in Liu et al. 2019 (https://arxiv.org/abs/1909.00700).
"""

import math
from typing import ClassVar, Literal, NamedTuple

import torch
from pydantic import model_validator
from torch import nn
from torch.nn.functional import max_pool2d

from regard.types import Float, Tensor

from ..config import Size
from .candidates import Candidates
from .cnn import AttentionName
from .pyramid import ConvNorm, FramedConfig, Merge, Pyramid, PyramidConfig, entered

STRIDE = 4
"""Pixels by which the places of the finest stage are apart."""
PRIOR = 0.01
"""What the heat is before anything is learned: most places are no centre."""
LARGEST = 9.0
"""The logarithm of a distance over the stride, at most: no overflow."""


class DetectorConfig(FramedConfig):
    """An anchor-free detector."""

    kind: Literal["detector"] = "detector"
    pyramid: PyramidConfig = PyramidConfig()
    """The network below."""
    first: int = 1
    """The finest stage that is merged, counted from 0: its places are what is decided about."""
    dim: Size = 64
    """Channels of the merged map."""
    attention: AttentionName | None = "spatial"
    """Over what every block of the merged stages adds, and over the merged map; ``null`` for
    none."""

    @model_validator(mode="after")
    def _first_is_a_stage(self) -> "DetectorConfig":
        stages = len(self.pyramid.channels)
        if not 0 <= self.first < stages:
            raise ValueError(f"first needs to be one of {stages} stages, from 0, got {self.first}")
        return self


class CentreMaps(NamedTuple):
    """What is said of every place."""

    heat: Float[Tensor, "B C y x"]
    """Logits of an object of each class having its centre there."""
    distances: Float[Tensor, "B 4 y x"]
    """Pixels from the centre of the place to the left, top, right and bottom edge."""
    stride: int
    """Pixels between places."""


class Detector(nn.Module):
    r"""Centres and edges from one map.

    .. math:: p = \sigma(W_p f(x)), \quad d = s\, e^{W_d f(x)}

    Liu et al. 2019 (https://arxiv.org/abs/1909.00700).

    Args:
        config: classes, sizes, attention.
    """

    criterion: ClassVar[str] = "centres"
    """What it is trained by, see :mod:`regard.tasks.object_detection.objective`."""

    def __init__(self, config: DetectorConfig) -> None:
        super().__init__()
        self.config = config
        self.stride = STRIDE * 2**config.first
        self.pyramid = Pyramid(config.pyramid, config.attention, first=config.first)
        kept = config.pyramid.channels[config.first :]
        self.merge = Merge(kept, config.dim, config.attention)
        self.heat = _head(config.dim, config.classes, bias=math.log(PRIOR / (1 - PRIOR)))
        self.distances = _head(config.dim, 4, bias=math.log(2.0))

    def forward(self, pixels: Tensor) -> CentreMaps:
        """The heat of each class and the distances to the edges, at every place."""
        maps = self.pyramid(entered(pixels, self.config))[self.config.first :]
        merged = self.merge(maps)
        distances = self.stride * self.distances(merged).clamp(max=LARGEST).exp()
        return CentreMaps(self.heat(merged), distances, self.stride)

    def candidates(self, found: CentreMaps, most: int = 200) -> Candidates:
        """Boxes around the peaks of the heat, the surest first; two may be of one object.

        Args:
            found: by a call.
            most: of each picture.
        """
        scores = found.heat.sigmoid()
        peaks = scores * (scores == max_pool2d(scores, 3, stride=1, padding=1))
        flat = peaks.flatten(1)  # (B, C y x)
        kept = flat.topk(min(most, flat.shape[1]), dim=1)
        places = found.heat.shape[2] * found.heat.shape[3]
        boxes = boxes_of(found).flatten(2).mT  # (B, y x, 4)
        where = (kept.indices % places).unsqueeze(-1).expand(-1, -1, 4)
        return Candidates(boxes.gather(1, where), kept.values, kept.indices // places)


def boxes_of(found: CentreMaps) -> Float[Tensor, "B 4 y x"]:
    """The box that each place speaks of, in pixels."""
    rows, columns = (
        (torch.arange(side, device=found.distances.device) + 0.5) * found.stride
        for side in found.heat.shape[2:]
    )
    left, top, right, bottom = found.distances.unbind(1)
    x, y = columns.view(1, 1, -1), rows.view(1, -1, 1)
    return torch.stack([x - left, y - top, x + right, y + bottom], dim=1)


def _head(dim: int, out: int, *, bias: float) -> nn.Sequential:
    """A convolution and what it says, which begins with ``bias``."""
    last = nn.Conv2d(dim, out, 1)
    nn.init.normal_(last.weight, std=0.01)
    assert last.bias is not None
    nn.init.constant_(last.bias, bias)
    return nn.Sequential(ConvNorm(dim, dim), last)


def detector_small(*, classes: int, height: int, width: int) -> DetectorConfig:
    """Places 8 pixels apart, spatial attention."""
    return DetectorConfig(classes=classes, height=height, width=width)


def detector_plain_small(*, classes: int, height: int, width: int) -> DetectorConfig:
    """The same without attention."""
    return DetectorConfig(classes=classes, height=height, width=width, attention=None)
