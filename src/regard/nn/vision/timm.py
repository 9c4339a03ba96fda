"""Weights of timm's attention blocks in ours: the same numbers under other names."""

from collections.abc import Mapping

import torch
from torch import nn

from regard.errors import ChoiceError
from regard.types import Tensor

from .context import GlobalContext
from .coordinates import CoordinateAttention
from .efficient import EfficientChannelAttention
from .gates import CBAM, ChannelAttention, SpatialAttention, SqueezeExcitation
from .non_local import NonLocal

GATE = {"fc1": "reduce_proj", "fc2": "expand_proj"}
PLACE = {"conv.conv": "convolution", "conv.bn": "norm"}
NAMES: dict[type[nn.Module], dict[str, str]] = {
    SqueezeExcitation: GATE,
    ChannelAttention: GATE,
    SpatialAttention: PLACE,
    CBAM: {f"channel.{theirs}": f"channel.{ours}" for theirs, ours in GATE.items()}
    | {f"spatial.{theirs}": f"spatial.{ours}" for theirs, ours in PLACE.items()},
    EfficientChannelAttention: {"conv": "convolution"},
    GlobalContext: {"conv_attn": "key_proj"}
    | {
        f"mlp_{way}.{theirs}": f"{way}.{ours}"
        for way in ("add", "scale")
        for theirs, ours in (GATE | {"norm": "norm"}).items()
    },
    CoordinateAttention: {
        "conv1": "reduce_proj",
        "bn1": "norm",
        "conv_h": "row_proj",
        "conv_w": "column_proj",
    },
    NonLocal: {
        "t": "query_proj",
        "p": "key_proj",
        "g": "value_proj",
        "z": "output_proj",
        "norm": "norm",
    },
}
"""What timm calls the layers of a block, and what we do."""


def timm_weights(block: nn.Module, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights of a block of timm for the same block of ours.

    >>> block = SqueezeExcitation(64, hidden_channels=8, bias=True)
    >>> block.load_state_dict(timm_weights(block, timm_block.state_dict()))

    The blocks of https://github.com/huggingface/pytorch-image-models are convolutions of one
    position where ours are linear maps, and timm's non-local block divides its scores by the root
    of the channels: that goes into the map of the queries.

    Args:
        block: one of ours.
        weights: the ``state_dict()`` of timm's.

    Raises:
        ChoiceError: a block that timm does not have, or weights of another one.
    """
    if type(block) not in NAMES:
        raise ChoiceError(
            f"timm_weights needs one of {', '.join(kind.__name__ for kind in NAMES)}, got "
            f"{type(block).__name__}"
        )
    ours = block.state_dict()
    found = {_renamed(name, NAMES[type(block)]): value for name, value in weights.items()}
    if set(found) != set(ours):
        odd = sorted(set(found) ^ set(ours))
        raise ChoiceError(
            f"these weights are of another block than {type(block).__name__}, or of one that was "
            f"made in another way: {', '.join(odd)}"
        )
    if isinstance(block, NonLocal):
        scale = block.channels**-0.5
        found |= {name: scale * found[name] for name in found if name.startswith("query_proj.")}
    return {name: _shaped(value, ours[name].shape) for name, value in found.items()}


def _renamed(name: str, names: Mapping[str, str]) -> str:
    layer, _, kind = name.rpartition(".")
    return f"{names.get(layer, layer)}.{kind}"


def _shaped(value: Tensor, shape: torch.Size) -> Tensor:
    """A convolution of one position as a matrix."""
    return value.reshape(shape) if value.numel() == shape.numel() else value
