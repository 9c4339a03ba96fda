"""A nested state as JSON and named tensors, exactly, and without pickle.

The states of optimizers, schedulers, generators and data readers are made of dicts, lists, tuples,
numbers, text and tensors. JSON knows neither tuples nor tensors, neither keys that are numbers nor
infinity: these become an object with one key, such as ``{"$tuple": […]}`` or
``{"$tensor": "state.0.exp_avg"}``.
"""

import math
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

from torch import Tensor

from regard.errors import DamagedError, DtypeError


class Packed(NamedTuple):
    """A state in two halves."""

    data: Any
    """What JSON can hold."""
    tensors: dict[str, Tensor]
    """What it cannot, by the place in the state."""


def pack(state: object) -> Packed:
    """``state`` in two halves.

    Raises:
        DtypeError: a value of another kind; the message names its place.
    """
    packer = _Packer()
    return Packed(packer.pack(state, ""), packer.tensors)


def unpack(packed: Packed, source: object) -> Any:
    """The state that was packed.

    Args:
        packed: both halves.
        source: where they came from, for the message.

    Raises:
        DamagedError: a tensor is missing, or the data were not made by :func:`pack`.
    """
    try:
        return _unpack(packed.data, packed.tensors)
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise DamagedError(
            f"{source} is damaged: its two halves do not fit together ({error!r}); "
            "use another checkpoint"
        ) from None


class _Packer:
    """Collects the tensors on the way."""

    def __init__(self) -> None:
        self.tensors: dict[str, Tensor] = {}

    def pack(self, value: object, place: str) -> Any:
        kind = type(value)
        if value is None or kind in (bool, int, str):
            return value
        if isinstance(value, float) and kind is float:
            return value if math.isfinite(value) else {"$float": repr(value)}
        if isinstance(value, Tensor):
            return {"$tensor": self._put(value, place)}
        if isinstance(value, list | tuple) and kind in (list, tuple):
            items = [self.pack(item, f"{place}.{i}") for i, item in enumerate(value)]
            return items if kind is list else {"$tuple": items}
        if isinstance(value, dict) and kind in (dict, OrderedDict, Counter):
            return self._pack_dict(value, place)
        raise DtypeError(
            f"a checkpoint holds numbers, text, tensors, lists, tuples and dicts, got a "
            f"{kind.__module__}.{kind.__qualname__} at {place.lstrip('.') or 'the top'}; "
            "convert it to one of these"
        )

    def _pack_dict(self, value: dict[Any, Any], place: str) -> Any:
        plain = all(type(key) is str and not key.startswith("$") for key in value)
        items = [(key, self.pack(item, f"{place}.{key}")) for key, item in value.items()]
        if type(value) is not Counter and plain:
            return dict(items)
        tag = "$counter" if type(value) is Counter else "$dict"
        return {tag: [[self.pack(key, f"{place}.key"), item] for key, item in items]}

    def _put(self, tensor: Tensor, place: str) -> str:
        name = place.lstrip(".") or "tensor"
        while name in self.tensors:
            name += "'"
        self.tensors[name] = tensor
        return name


def _unpack(data: Any, tensors: dict[str, Tensor]) -> Any:
    if isinstance(data, list):
        return [_unpack(item, tensors) for item in data]
    if not isinstance(data, dict):
        return data
    if len(data) == 1:
        [(tag, content)] = data.items()
        if tag.startswith("$"):
            return _TAGS[tag](content, tensors)
    return {key: _unpack(item, tensors) for key, item in data.items()}


def _unpack_pairs(content: Any, tensors: dict[str, Tensor]) -> dict[Any, Any]:
    return {_unpack(key, tensors): _unpack(item, tensors) for key, item in content}


_TAGS: dict[str, Callable[[Any, dict[str, Tensor]], Any]] = {
    "$float": lambda content, _: float(content),
    "$tensor": lambda content, tensors: tensors[content],
    "$tuple": lambda content, tensors: tuple(_unpack(content, tensors)),
    "$dict": _unpack_pairs,
    "$counter": lambda content, tensors: Counter(_unpack_pairs(content, tensors)),
}
