"""Classifiers of pictures with everything chosen but their sizes: about 0.3 M parameters each."""

from collections.abc import Callable
from typing import Any

from .cct import CCTConfig
from .classifier import PictureClassifierConfig
from .cnn import CNNConfig
from .residual_attention import ResidualAttentionConfig
from .vit import ViTConfig

SIDE = 32
GREY, SPREAD = (0.5, 0.5, 0.5), (0.25, 0.25, 0.25)
"""Statistics of colours where those of the data are not known."""
Colours = tuple[float, float, float]
Preset = Callable[..., PictureClassifierConfig]

SMALL = {"stem": 24, "widths": (48, 80, 96), "blocks": (1, 1, 1), "strides": (2, 2, 2)}
"""A residual network whose parameters lie where maps are small: it sees more pictures a minute than
ResNet-20, which has as many."""


def classifier(encoder: type[Any], **choices: Any) -> Preset:
    """A preset of an encoder of this kind, which asks for the sizes of labels and pictures."""

    def preset(
        *,
        labels: int,
        height: int = SIDE,
        width: int = SIDE,
        mean: Colours = GREY,
        std: Colours = SPREAD,
    ) -> PictureClassifierConfig:
        chosen = encoder(height=height, width=width, mean=mean, std=std, **choices)
        return PictureClassifierConfig(labels=labels, encoder=chosen)

    return preset


PRESETS: dict[str, Preset] = {
    "resnet-20": classifier(CNNConfig),
    "cnn": classifier(CNNConfig, **SMALL),
    "cnn-se": classifier(CNNConfig, **SMALL, attention="se"),
    "cnn-eca": classifier(CNNConfig, **SMALL, attention="eca"),
    "cnn-cbam": classifier(CNNConfig, **SMALL, attention="cbam"),
    "cnn-coordinate": classifier(CNNConfig, **SMALL, attention="coordinate"),
    "cnn-global-context": classifier(CNNConfig, **SMALL, attention="global_context"),
    "cnn-non-local": classifier(CNNConfig, **SMALL, attention=(None, "non_local", None)),
    "cnn-fashion": classifier(
        CNNConfig, stem=24, widths=(48, 96), blocks=(2, 2), strides=(2, 2), attention="se"
    ),
    "residual-attention": classifier(
        ResidualAttentionConfig, stem=24, widths=(48, 96, 128), stride=2, mask_units=1, last_units=0
    ),
    "attention-56": classifier(ResidualAttentionConfig, stem=32, widths=(64, 128, 256)),
    "attention-92": classifier(
        ResidualAttentionConfig, stem=32, widths=(64, 128, 256), modules=(1, 2, 3)
    ),
    "vit": classifier(ViTConfig, model_dim=96, num_layers=4, num_heads=3, hidden_dim=192),
    "cct": classifier(
        CCTConfig, stem=(32,), model_dim=96, num_layers=4, num_heads=3, hidden_dim=192
    ),
}
"""By name."""
