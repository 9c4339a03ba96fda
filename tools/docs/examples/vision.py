"""Attention over a small picture: a sun, a field and the sky."""

import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d

from regard import weigh
from regard.lens import capture
from regard.nn import vision

from .example import sharper, shows
from .panels import Panel

SIDE = 24
CHANNELS = ("sun", "field", "sky")


def picture() -> Tensor:
    """(3, 24, 24): one thing per channel."""
    y, x = torch.meshgrid(torch.arange(SIDE), torch.arange(SIDE), indexing="ij")
    sun = ((y - 7.5) ** 2 + (x - 8.5) ** 2 <= 20).float()
    field = (y >= 17 + 2 * torch.sin(x / 4)).float()
    sky = (1 - y / SIDE) * (1 - sun) * (1 - field)
    return torch.stack([sun, field, sky])


def channels(gate: Tensor, image: Tensor) -> list[Panel]:
    """The picture, each channel under its gate, and what comes out."""
    each = [
        Panel(f"{name} × {number:.2f}", channel, largest=1.0)
        for name, number, channel in zip(CHANNELS, gate.tolist(), image, strict=True)
    ]
    return [Panel("picture", image), *each, Panel("after", image * gate.view(3, 1, 1))]


@shows("squeeze-and-excitation")
def squeeze_excitation() -> list[Panel]:
    """The mean of every channel decides, through two matrices drawn at random, how far it is let
    through.
    """
    image = picture()
    module = sharper(vision.SqueezeExcitation(3, reduction=1), 6.0)
    with capture(module) as record:
        module(image.unsqueeze(0))
    return channels(record[""].weights.flatten(), image)


@shows("efficient channel attention")
def efficient_channel_attention() -> list[Panel]:
    """A convolution over the means of the channels, drawn at random: each asks its neighbours."""
    image = picture()
    module = sharper(vision.EfficientChannelAttention(3), 6.0)
    with capture(module) as record:
        module(image.unsqueeze(0))
    return channels(record[""].weights.flatten(), image)


@shows("global context")
def global_context() -> list[Panel]:
    """One look at all positions: where it looks, and the picture with what it saw everywhere."""
    image = picture()
    module = sharper(vision.GlobalContext(3, 1, fuse="scale"), 6.0)
    with capture(module) as record:
        after = module(image.unsqueeze(0))
    weights = record[""].weights.reshape(SIDE, SIDE)
    return [Panel("picture", image), Panel("weights", weights), Panel("after", after[0])]


@shows("coordinate attention")
def coordinate_attention() -> list[Panel]:
    """Gates of rows times gates of columns, their mean over the channels."""
    image = picture()
    module = sharper(vision.CoordinateAttention(3).eval(), 4.0)
    with capture(module) as record:
        after = module(image.unsqueeze(0))
    gate = record[""].weights.reshape(SIDE, SIDE)
    return [Panel("picture", image), Panel("gate", gate, largest=1.0), Panel("after", after[0])]


@shows("channel attention")
def channel_attention() -> list[Panel]:
    """Mean and maximum of every channel decide how far it is let through."""
    image = picture()
    module = sharper(vision.ChannelAttention(3, reduction=1), 2.0)
    with capture(module) as record:
        module(image.unsqueeze(0))
    return channels(record[""].weights.flatten(), image)


@shows("spatial attention")
def spatial_attention() -> list[Panel]:
    """A convolution, drawn at random, over mean and maximum of channels decides where to look."""
    image = picture()
    module = sharper(vision.SpatialAttention(), 8.0)
    with capture(module) as record:
        after = module(image.unsqueeze(0))
    gate = record[""].weights.reshape(SIDE, SIDE)
    return [Panel("picture", image), Panel("gate", gate, largest=1.0), Panel("after", after[0])]


@shows("CBAM")
def cbam() -> list[Panel]:
    """First which channels, then which positions."""
    image = picture()
    module = sharper(vision.CBAM(3, reduction=1), 4.0)
    with capture(module) as record:
        after = module(image.unsqueeze(0))
    channel = image * record["channel"].weights.reshape(3, 1, 1)
    spatial = record["spatial"].weights.reshape(SIDE, SIDE)
    shown = [Panel("picture", image), Panel("channels", channel)]
    return [*shown, Panel("positions", spatial, largest=1.0), Panel("after", after[0])]


@shows("non-local block")
def non_local() -> list[Panel]:
    """Where a position in the middle of the sun looks, and where one in the field looks."""
    image = picture()
    module = vision.NonLocal(3, pairwise="gaussian")
    with capture(module) as record:
        module(3 * image.unsqueeze(0))
    weights = record[""].weights.reshape(SIDE, SIDE, SIDE, SIDE)
    return [
        Panel("picture", image),
        Panel("from the sun", weights[8, 8]),
        Panel("from the field", weights[21, 14]),
    ]


@shows("residual attention")
def residual_attention() -> list[Panel]:
    """The soft mask, the mean over its channels: where the trunk is made stronger."""
    image = picture()
    features = torch.cat([image, image.mean(dim=0, keepdim=True)]).unsqueeze(0)
    module = sharper(vision.ResidualAttention(4, depth=2), 2.5).eval()
    with capture(module) as record:
        module(features)
    mask = record[""].weights[0].mean(dim=0)
    return [Panel("picture", image), Panel("soft mask", mask)]


@shows("top-down attention")
def top_down() -> list[Panel]:
    """Regions are the cells of a grid; three questions, for one channel each, look at them."""
    image = picture()
    regions = avg_pool2d(image, 4).flatten(1).T  # (36, 3)
    attention = vision.TopDownAttention(3, 3, 3)
    attention.key_proj.weight.data = torch.eye(3).repeat(2, 1) * 4
    attention.query_proj.weight.data = torch.eye(3).repeat(2, 1) * 4
    attention.query_proj.bias.data = torch.full((6,), -4.0)
    attention.v.data = torch.full((3,), 4.0)
    _, weights = attention(torch.eye(3), attention.prepare(regions.expand(3, -1, -1)))
    asked = [Panel(f"{c}?", w.reshape(6, 6)) for c, w in zip(CHANNELS, weights, strict=True)]
    return [Panel("picture", image), *asked]


@shows("patch embedding")
def patch_embedding() -> list[Panel]:
    """Patches of 4 × 4 pixels become tokens; beside them, how much the token in the middle of the
    sun looks at each of them.
    """
    image = picture()
    tokens = vision.PatchEmbedding(16, patch_size=4)(image.unsqueeze(0))
    weights = weigh(tokens, tokens, score="euclidean")[0].reshape(6, 6, 6, 6)
    seen = avg_pool2d(image, 4)
    return [
        Panel("picture", image),
        Panel("patches", seen),
        Panel("from the sun", weights[1, 1]),
    ]


@shows("attention gate")
def attention_gate() -> list[Panel]:
    """A coarse map that knows of the sun alone decides what of the fine picture passes."""
    image = picture()
    signal = avg_pool2d(image[:1].unsqueeze(0), 4)
    module = sharper(vision.AttentionGate(3, 1, hidden_dim=8), 6.0)
    with capture(module) as record:
        after = module(image.unsqueeze(0), signal)
    gate = record[""].looks[0].weigh().reshape(SIDE, SIDE)
    shown = [Panel("picture", image), Panel("coarse map", signal[0, 0], largest=1.0)]
    return [*shown, Panel("gate", gate, largest=1.0), Panel("after", after[0])]


@shows("recurrent glimpses")
def recurrent_glimpses() -> list[Panel]:
    """One glimpse at the sun: sharp in the middle, and twice and four times as wide, blurred."""
    image = picture()
    retina = vision.Retina(8, 3)
    seen = retina(retina.levels(image.unsqueeze(0)), torch.tensor([[-0.29, -0.37]]))
    scales = ("as it is", "twice as wide", "four times")
    each = [Panel(name, one) for name, one in zip(scales, seen[0], strict=True)]
    return [Panel("picture", image), *each]
