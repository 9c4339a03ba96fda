"""Which modules of a model attend, and through which door each of them is seen."""

import inspect
from collections.abc import Iterator
from functools import cache
from types import CodeType, FunctionType
from typing import Literal

from torch import nn

from regard.functional.events import Observable

Door = Literal["ours", "interface", "fused", "by hand", "unknown", "none"]
"""``ours`` tells by itself; ``interface`` asks that of ``transformers``; ``fused`` calls torch's
kernel; ``by hand`` has a softmax of its own; ``unknown`` is a class of somebody's, which may do
anything; ``none`` does not attend."""


def doors(model: nn.Module) -> dict[str, Door]:
    """The door of every module inside a model, by name."""
    return {name: door_of(module) for name, module in model.named_modules()}


def door_of(module: nn.Module) -> Door:
    """Through which door a module is seen."""
    if isinstance(module, Observable):
        return "ours"
    if isinstance(module, nn.MultiheadAttention):
        return "fused"
    return _door_of_class(type(module))  # type: ignore[arg-type]


@cache
def _door_of_class(kind: type[nn.Module]) -> Door:
    home = kind.__module__.partition(".")[0]
    if home in ("torch", "regard"):
        return "none"
    called = set(_names(kind))
    if home == "transformers":
        if "ALL_ATTENTION_FUNCTIONS" in called:
            return "interface"
        if "scaled_dot_product_attention" in called:
            return "fused"
        return "by hand" if _weighs(kind, called) else "none"
    if "ALL_ATTENTION_FUNCTIONS" in called:
        return "interface"
    return "fused" if "scaled_dot_product_attention" in called else "unknown"


def _weighs(kind: type[nn.Module], called: set[str]) -> bool:
    """Whether a class of ``transformers`` makes weights itself, as far as its code tells."""
    makes = any(name.lower() == "softmax" for name in called)
    return makes and "attention" in kind.__name__.lower()


def _names(kind: type[nn.Module]) -> Iterator[str]:
    """Every name that the methods of a class use, those of its bases among them.

    The base of all models of ``transformers`` speaks of attention, but attends to nothing.
    """
    for each in kind.__mro__:
        home = each.__module__
        if home.startswith("torch.") or (
            home.startswith("transformers.") and not home.startswith("transformers.models.")
        ):
            continue
        for method in vars(each).values():
            plain = inspect.unwrap(method) if callable(method) else None
            if isinstance(plain, FunctionType):
                yield from _names_in(plain.__code__)


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _names_in(part)
