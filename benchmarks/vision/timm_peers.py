"""timm's residual network and Vision Transformer of the same shape, where timm is installed."""

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from torch import Tensor, nn

MEAN, STD = 127.5, 63.75


class OfBytes(nn.Module):
    """A model that is given bytes."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, pixels: Tensor) -> Tensor:
        """Logits."""
        found: Tensor = self.model((pixels.float() - MEAN) / STD)
        return found


def module(name: str) -> Any:
    """A module of timm, without its face and its loaders, which need torchvision.

    Of that timm's layers ask for one class, which no layer here uses: where torchvision is not
    installed, a stand-in of that name is.

    Raises:
        ImportError: timm is not installed.
    """
    spec = find_spec("timm") if "timm" not in sys.modules else None
    if spec is not None and spec.submodule_search_locations:
        root = next(iter(spec.submodule_search_locations))
        if find_spec("torchvision") is None:
            for part in ("torchvision", "torchvision.ops"):
                _face(part, "")
            _face("torchvision.ops.misc", "").__dict__["FrozenBatchNorm2d"] = nn.BatchNorm2d
        _face("timm", root).__dict__["__version__"] = "installed"
        data = _face("timm.data", f"{root}/data")
        data.__dict__.update(vars(import_module("timm.data.constants")))
        _face("timm.models", f"{root}/models")
    return import_module(name)


def _face(name: str, folder: str) -> ModuleType:
    """An empty package; what lies in its folder can be imported."""
    made = ModuleType(name)
    made.__path__ = [folder] if folder else []
    sys.modules[name] = made
    return made


def resnet(
    stem: int, widths: tuple[int, ...], blocks: tuple[int, ...], strides: tuple[int, ...]
) -> nn.Module:
    """Its basic blocks, stem and head as ours."""
    basic = module("timm.models.resnet").BasicBlock
    layers: list[nn.Module] = [
        nn.Conv2d(3, stem, 3, 1, 1, bias=False),
        nn.BatchNorm2d(stem),
        nn.ReLU(inplace=True),
    ]
    channels = stem
    for width, count, stride in zip(widths, blocks, strides, strict=True):
        for number in range(count):
            step = 1 if number else stride
            skip = None
            if channels != width or step != 1:
                skip = nn.Sequential(
                    nn.Conv2d(channels, width, 1, step, bias=False), nn.BatchNorm2d(width)
                )
            layers.append(basic(channels, width, step, skip))
            channels = width
    head = (nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 10))
    return OfBytes(nn.Sequential(*layers, *head))


def vit(patch: int, width: int, layers: int, heads: int, hidden: int) -> nn.Module:
    """Its Vision Transformer."""
    made = module("timm.models.vision_transformer").VisionTransformer
    return OfBytes(
        made(
            img_size=32,
            patch_size=patch,
            embed_dim=width,
            depth=layers,
            num_heads=heads,
            mlp_ratio=hidden / width,
            num_classes=10,
        )
    )
