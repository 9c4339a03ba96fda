"""Models on torch's meta device: names and shapes, checked against a file before it is read.

A config of a few bytes can ask for any amount of memory. Built on torch's ``meta`` device a model
takes none, whatever its sizes, and what it needs is compared with what the file holds.
"""

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from regard.errors import ChoiceError, DamagedError
from regard.models.config import ModelConfig
from regard.models.outline import outline

from .quantised import SCALE
from .tensors import Outline


@runtime_checkable
class Modelled(Protocol):
    """Settings that say what a model is built from."""

    @property
    @abstractmethod
    def model(self) -> ModelConfig:
        """What was trained."""


def require_model(settings: Modelled, found: Mapping[str, Outline], source: Path) -> None:
    """Find out whether a file holds the weights of the model that settings ask for.

    Args:
        settings: what the model is built from.
        found: what the file says of its tensors.
        source: the file.

    Raises:
        DamagedError: it does not.
    """
    model = skeleton(settings.model, tensors=len(found), source=source)
    require_fit(model.state_dict(), found, source=source)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    numbers = {one.stored: math.prod(one.shape) for one in found.values()}
    if parameters > sum(numbers.values()):  # names of one tensor that the model does not share
        raise _unfit(source, f"it has too few numbers for the {parameters:,} of its config")


def skeleton(config: ModelConfig, *, tensors: int, source: Path) -> nn.Module:
    """The model of a config, without memory.

    Args:
        config: what it is built from.
        tensors: how many it may have; building ends when it is certain that there are more.
        source: the file that holds them.

    Raises:
        DamagedError: there are more, or some are larger than any memory.
    """
    try:
        return outline(config, tensors=tensors)
    except ChoiceError as error:
        raise _unfit(source, str(error)) from None


def require_fit(
    needed: Mapping[str, Tensor], found: Mapping[str, Outline], *, source: Path
) -> None:
    """Find out whether a file holds exactly these tensors, in the precision of a run or packed.

    Args:
        needed: a ``state_dict()``, whose numbers are not looked at.
        found: what the file says of its tensors.
        source: the file.

    Raises:
        DamagedError: a tensor is missing, too many, or of another shape or kind.
    """
    scales = {name + SCALE for name in needed if _is_narrow(needed[name], found.get(name))}
    for name in needed.keys() | scales:
        if name not in found:
            raise _unfit(source, f"it has no {name!r}, which its config asks for")
    for name in found.keys() - needed.keys() - scales:
        raise _unfit(source, f"it has {name!r}, which its config knows nothing of")
    for name, tensor in needed.items():
        shape, dtype, _ = found[name]
        if shape != tuple(tensor.shape):
            raise _unfit(
                source, f"its {name!r} is {_by(shape)}, and its config asks for {_by(tensor.shape)}"
            )
        narrow = name + SCALE in scales
        if not (narrow or dtype == tensor.dtype or _is_floating(dtype, tensor.dtype)):
            raise _unfit(source, f"its {name!r} is {dtype}, and its config asks for {tensor.dtype}")
        rows = (shape[0], *(1 for _ in shape[1:])) if shape else ()
        if narrow and found[name + SCALE].shape != rows:
            raise _unfit(source, f"its {name + SCALE!r} has not one number for each row")


def _is_narrow(tensor: Tensor, found: Outline | None) -> bool:
    return found is not None and found.dtype == torch.int8 and tensor.is_floating_point()


def _is_floating(*dtypes: torch.dtype) -> bool:
    return all(dtype.is_floating_point for dtype in dtypes)


def _by(shape: Sequence[int]) -> str:
    return " by ".join(map(str, shape)) or "one number"


def _unfit(source: Path, how: str) -> DamagedError:
    return DamagedError(f"{source} is damaged: {how}; use another checkpoint")
