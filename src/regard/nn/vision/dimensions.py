"""Layers by the number of axes that positions have."""

from typing import NamedTuple

from torch import nn

from regard.errors import ChoiceError


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
