"""Attention under autocast: inputs in the lower precision, arithmetic under our own rules."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from typing import ParamSpec, TypeVar

import torch
from torch import Tensor

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

VECTORS = ("query", "key", "value")


def outside_autocast(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """``function`` with float32 tensors lowered as autocast asks, and autocast off inside.

    This is what autocast does with torch's own attention; without it every product inside would be
    lowered by itself, after we had raised it.
    """

    @wraps(function)
    def outside(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        if not torch._C._is_any_autocast_enabled():
            return function(*args, **kwargs)
        first = args[0] if args else kwargs.get("query")
        device = first.device.type if isinstance(first, Tensor) else "cpu"
        if device == "meta" or not torch.is_autocast_enabled(device):
            return function(*args, **kwargs)
        dtype = torch.get_autocast_dtype(device)
        lowered = tuple(_lowered(x, dtype) for x in args)
        named = {k: _lowered(x, dtype) if k in VECTORS else x for k, x in kwargs.items()}
        with torch.autocast(device, enabled=False):
            return function(*lowered, **named)  # type: ignore[arg-type]

    return outside


def full_precision(device: torch.device) -> AbstractContextManager[object]:
    """Arithmetic in the precision of its operands, whatever autocast would make of it."""
    if device.type == "meta" or not torch.is_autocast_enabled(device.type):
        return nullcontext()
    return torch.autocast(device.type, enabled=False)


def _lowered(x: object, dtype: torch.dtype) -> object:
    return x.to(dtype) if isinstance(x, Tensor) and x.dtype == torch.float32 else x
