"""Where a classifier of pictures looked, as panels to be drawn: gates, maps, rows, rollout."""

from collections.abc import Iterator
from typing import Any

import torch

from regard.lens.pictures import Panel
from regard.models.vision import CCT, ViT
from regard.nn import vision
from regard.types import Float, Int, Tensor, UInt8

MOST_HEADS = 8
"""Heads of the last layer that have a panel of their own."""
BY_CHANNEL = (vision.SqueezeExcitation, vision.ChannelAttention, vision.EfficientChannelAttention)
BY_PLACE = (vision.SpatialAttention, vision.CoordinateAttention, vision.ResidualAttention)


def panels_of(
    model: Any, pixels: UInt8[Tensor, "B 3 Y X"], record: Any, labels: Int[Tensor, " B"]
) -> list[tuple[Panel, ...]]:
    """What each picture's panels are: the evidence for its label first, then every attention.

    Args:
        model: a classifier.
        pixels: what it read.
        record: what it looked at, see :func:`regard.lens.capture`; ``None`` if it cannot look.
        labels: the numbers of its answers.
    """
    if hasattr(model, "panels"):  # it looks in a way of its own
        own_panels: list[tuple[Panel, ...]] = model.panels(pixels)
        return own_panels
    parts = dict(model.named_modules())
    maps = evidence(model, pixels, labels)
    found: list[list[Panel]] = [
        [] if maps is None else [Panel("evidence", heat=one)] for one in maps_or(maps, len(pixels))
    ]
    encoder = model.encoder
    if isinstance(encoder, ViT | CCT):
        layers = _layers(record)
        for row, own in enumerate(found):
            own += _of_tokens(encoder, [layer[row] for layer in layers], pixels.shape[2:])
    for name, entry in (record or {}).items():
        weights = entry.weights.float().cpu()
        for row, own in enumerate(found):
            own += _of_module(name.removeprefix("encoder."), parts[name], weights[row], encoder)
    return [tuple(one) for one in found]


def maps_or(maps: Tensor | None, count: int) -> list[Any]:
    """A map for each of ``count`` pictures, or nothing for each."""
    return [None] * count if maps is None else list(maps)


def evidence(
    model: Any, pixels: UInt8[Tensor, "B 3 Y X"], labels: Int[Tensor, " B"]
) -> Float[Tensor, "B y x"] | None:
    r"""How much each place speaks for the label, where the map is pooled by its mean.

    .. math:: E_{ij} = \max(0, w_y \cdot (f_{ij} - \bar f))

    Zhou et al. 2016, Eq. 2 (https://arxiv.org/abs/1512.04150): class activation maps, less what
    every place has. Exact, since the logit is the mean of the products. ``None`` where a model
    pools in another way.
    """
    encoder = model.encoder
    pools_by_mean = type(encoder).pool is vision_mean()
    if not pools_by_mean and getattr(encoder.config, "pooling", "") != "mean":
        return None
    features = encoder(pixels).float()  # (B, M, y, x)
    weight = model.output.weight.float()[labels.to(features.device)]  # (B, M)
    spoken = torch.einsum("bm,bmyx->byx", weight, features)
    return (spoken - spoken.mean(dim=(1, 2), keepdim=True)).clamp(min=0).cpu()


def vision_mean() -> Any:
    """The pooling that encoders have unless they say otherwise."""
    from regard.models.vision import PictureEncoder

    return PictureEncoder.pool


def _layers(record: Any) -> list[Float[Tensor, "B H N N"]]:
    """Self-attention, layer by layer."""
    return [
        entry.weights.float().cpu()
        for name, entry in record.items()
        if name.startswith("encoder.layers.")
    ]


def _of_tokens(
    encoder: ViT | CCT, layers: list[Float[Tensor, "H N N"]], size: torch.Size
) -> Iterator[Panel]:
    """Rollout, then the rows of the last layer: of the class token, or the mean of all."""
    before = encoder.config.before if isinstance(encoder, ViT) else 0
    grid = _grid(encoder, size)
    has_class = isinstance(encoder, ViT) and encoder.config.pooling == "class_token"

    def seen(weights: Float[Tensor, "N N"]) -> Float[Tensor, "y x"]:
        row = weights[0] if has_class else weights[before:].mean(dim=0)
        return row[before:].reshape(grid)

    who = "class token" if has_class else "all patches"
    yield Panel("rollout", heat=seen(rollout(layers)))
    yield Panel(f"last layer, {who}", heat=seen(layers[-1].mean(dim=0)))
    for number, head in enumerate(layers[-1][:MOST_HEADS]):
        yield Panel(f"head {number}", heat=seen(head))


def rollout(layers: list[Float[Tensor, "H N N"]]) -> Float[Tensor, "N N"]:
    r"""How much of each token has come to each, through all layers and their skips.

    .. math:: R = \tilde A_L \cdots \tilde A_1, \quad \tilde A = \tfrac12 (\bar A + I)

    Abnar and Zuidema 2020, section 3 (https://arxiv.org/abs/2005.00928); the mean is over heads.
    """
    count = layers[0].shape[-1]
    found = torch.eye(count)
    for layer in layers:
        mixed = (layer.mean(dim=0) + torch.eye(count)) / 2
        found = mixed / mixed.sum(dim=-1, keepdim=True) @ found
    return found


def _grid(encoder: ViT | CCT, size: torch.Size) -> tuple[int, int]:
    height, width = size
    if isinstance(encoder, ViT):
        return encoder.patches.grid(height, width)
    for _ in range(len(encoder.config.stem) + 1):
        height, width = -(-height // 2), -(-width // 2)
    return height, width


def _of_module(name: str, module: Any, weights: Tensor, encoder: Any) -> Iterator[Panel]:
    """One attention of one picture."""
    if isinstance(module, BY_CHANNEL):
        yield Panel(_short(name), bars=weights[0])
    elif isinstance(module, BY_PLACE):
        yield Panel(_short(name), heat=weights.clamp(min=0).mean(dim=0))
    elif isinstance(module, vision.NonLocal | vision.GlobalContext):
        yield Panel(_short(name), heat=_on_grid(weights.mean(dim=0), encoder))
    elif name == "pooling" or name == "attention_pooling":
        yield Panel("pooling", heat=_on_grid(weights[0], encoder))


def _on_grid(row: Float[Tensor, " K"], encoder: Any) -> Float[Tensor, "y x"]:
    """How much each place was looked at; the grid has the proportions of the picture."""
    height, width = encoder.config.height, encoder.config.width
    rows = max(1, round((len(row) * height / width) ** 0.5))
    while len(row) % rows:
        rows -= 1
    return row.reshape(rows, -1)


def _short(name: str) -> str:
    """``stages.1.0.attention.channel`` as ``stage 2, block 1, channel``."""
    parts = name.split(".")
    if parts[0] != "stages" or len(parts) < 3:
        return name
    rest = [part for part in parts[3:] if part != "attention"]
    return ", ".join([f"stage {int(parts[1]) + 1}", f"block {int(parts[2]) + 1}", *rest])
