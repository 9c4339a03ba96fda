"""The weights of timm's blocks give its outputs in ours; where timm is installed."""

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from benchmarks.vision import timm_peers
from nn.vision.cases import draw, randomised
from regard.errors import ChoiceError
from regard.nn import vision

CHANNELS = 24

OURS = {
    "SEModule": lambda: vision.SqueezeExcitation(CHANNELS, hidden_channels=8, bias=True),
    "EcaModule": lambda: vision.EfficientChannelAttention(CHANNELS),
    "CbamModule": lambda: vision.CBAM(CHANNELS, norm="batch"),
    "GlobalContext": lambda: vision.GlobalContext(CHANNELS, fuse="scale"),
    "NonLocalAttn": lambda: vision.NonLocal(CHANNELS, hidden_channels=8, norm="batch"),
    "CoordAttn": lambda: vision.CoordinateAttention(CHANNELS, hidden_channels=8, bias=False),
}


def theirs(name: str) -> nn.Module:
    """A block of timm."""
    try:
        made = getattr(timm_peers.module("timm.layers"), name)
    except ImportError as error:
        pytest.skip(f"timm cannot be imported: {error}")
    return made(CHANNELS, **({"rd_channels": 1} if name == "CbamModule" else {}))


@pytest.mark.parametrize("name", list(OURS))
def test_copied_weights_give_the_same_output(name):
    block, ours = randomised(theirs(name), 3), OURS[name]().double().eval()
    ours.load_state_dict(vision.timm_weights(ours, block.state_dict()))
    features = draw(2, CHANNELS, 5, 7)
    assert_close(ours(features), block(features))


def test_a_block_that_timm_does_not_have_is_told():
    with pytest.raises(ChoiceError, match="got ResidualAttention"):
        vision.timm_weights(vision.ResidualAttention(8), {})
    with pytest.raises(ChoiceError, match=r"another block .*reduce_proj\.bias"):
        block = vision.SqueezeExcitation(6)
        given = {"fc1.weight": torch.ones(1, 6, 1, 1), "fc2.weight": torch.ones(6, 1, 1, 1)}
        vision.timm_weights(block, given | {"fc1.bias": torch.ones(1)})
