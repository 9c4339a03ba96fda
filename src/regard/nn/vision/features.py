"""Feature maps (B, C, *P): their layers, checks, and means and maxima over allowed positions."""

from typing import NamedTuple

import torch
from torch import nn

from regard.errors import ChoiceError, DtypeError, ShapeError
from regard.functional.engine.unseen import tamed
from regard.types import Bool, Float, Int, Tensor


class Dimensions(NamedTuple):
    """What torch offers for so many axes."""

    convolution: type[nn.Conv1d] | type[nn.Conv2d] | type[nn.Conv3d]
    batch_norm: type[nn.BatchNorm1d] | type[nn.BatchNorm2d] | type[nn.BatchNorm3d]
    max_pool: type[nn.MaxPool1d] | type[nn.MaxPool2d] | type[nn.MaxPool3d]
    interpolation: str
    """The mode of linear interpolation, as torch calls it."""


_KNOWN = {
    1: Dimensions(nn.Conv1d, nn.BatchNorm1d, nn.MaxPool1d, "linear"),
    2: Dimensions(nn.Conv2d, nn.BatchNorm2d, nn.MaxPool2d, "bilinear"),
    3: Dimensions(nn.Conv3d, nn.BatchNorm3d, nn.MaxPool3d, "trilinear"),
}


def dimensions(owner: object, dims: int) -> Dimensions:
    """The layers for ``dims`` axes of positions.

    Raises:
        ChoiceError: neither 1 nor 2 nor 3.
    """
    if dims not in _KNOWN:
        raise ChoiceError(
            f"{type(owner).__name__} needs dims of 1 (sequences), 2 (images) or 3 (videos), "
            f"got {dims!r}"
        )
    return _KNOWN[dims]


PositionMask = Bool[Tensor, "B *P"] | Int[Tensor, " B"]
"""Which positions are real, True = real: one boolean each, or how many of them, row by row."""


def require_features(
    owner: object, features: Tensor, channels: int | None = None, dims: int | None = None
) -> None:
    """Raise unless ``features`` has so many channels, and positions on so many axes."""
    axes = "one or more axes" if dims is None else f"{dims} {'axis' if dims == 1 else 'axes'}"
    fits = features.dim() > 2 if dims is None else features.dim() == dims + 2
    if not fits or (channels is not None and features.shape[1] != channels):
        width = "" if channels is None else f"{channels} "
        raise ShapeError(
            f"{type(owner).__name__} needs features (B, C, *P) of {width}channels and positions on "
            f"{axes}, got {tuple(features.shape)}"
        )


def allowed_positions(
    features: Float[Tensor, "B C *P"], mask: Tensor | None
) -> Bool[Tensor, "B 1 *P"] | None:
    """The mask as booleans that broadcast over the channels.

    Raises:
        DtypeError: a tensor that is neither boolean nor of whole numbers.
        ShapeError: a mask of other positions, or lengths of another batch.
    """
    if mask is None:
        return None
    if mask.is_floating_point() or mask.is_complex():
        raise DtypeError(
            "a mask over positions needs to be booleans (B, *P), True = may attend, or whole "
            f"lengths (B,), got {mask.dtype}"
        )
    batch, positions = features.shape[0], features.shape[2:]
    needed = (batch, *positions) if mask.dtype == torch.bool else (batch,)
    if mask.shape != needed:
        raise ShapeError(
            f"a mask over positions needs the shape {tuple(needed)} for features "
            f"{tuple(features.shape)}, got {tuple(mask.shape)}"
        )
    if mask.dtype != torch.bool:
        order = torch.arange(positions.numel(), device=mask.device)
        mask = (order < mask.unsqueeze(-1)).view(batch, *positions)
    return mask.unsqueeze(1)


def real_features(
    features: Float[Tensor, "B C *P"], mask: Tensor | None
) -> Float[Tensor, "B C *P"]:
    """The features, with numbers out of the ordinary as 0 where the mask says nothing is real."""
    allowed = allowed_positions(features, mask)
    return features if allowed is None else tamed(features, allowed)


def mean_over_positions(
    features: Float[Tensor, "B C *P"], allowed: Bool[Tensor, "B 1 *P"] | None
) -> Float[Tensor, "B C"]:
    """The mean of each channel over its allowed positions; 0 where there is none."""
    if allowed is None:
        return features.flatten(2).mean(dim=-1)
    wide = torch.promote_types(features.dtype, torch.float32)
    total = features.masked_fill(~allowed, 0).flatten(2).sum(dim=-1, dtype=wide)
    return (total / allowed.flatten(2).sum(dim=-1).clamp(min=1)).to(features.dtype)


def max_over_positions(
    features: Float[Tensor, "B C *P"], allowed: Bool[Tensor, "B 1 *P"] | None
) -> Float[Tensor, "B C"]:
    """The maximum of each channel over its allowed positions; 0 where there is none."""
    if allowed is None:
        return features.flatten(2).amax(dim=-1)
    lowest = torch.finfo(features.dtype).min
    found = features.masked_fill(~allowed, lowest).flatten(2).amax(dim=-1)
    return found.masked_fill(~allowed.flatten(2).any(dim=-1), 0)
