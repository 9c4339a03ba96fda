"""Named tensors as bytes in the safetensors format, and nested states as JSON beside them.

Bit for bit, tied tensors once, without pickle. The states of optimizers, schedulers, generators and
data readers are made of dicts, lists, tuples, numbers, text and tensors. JSON knows neither tuples
nor tensors, neither keys that are numbers nor infinity: these become an object with one key, such
as ``{"$tuple": […]}`` or ``{"$tensor": "state.0.exp_avg"}``.
"""

import json
import math
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from io import BufferedReader
from typing import Any, NamedTuple

import torch
from torch import Tensor

from regard.errors import DamagedError, DtypeError
from regard.extras import need
from regard.json_text import parsed

DTYPES = {
    "BOOL": torch.bool,
    "U8": torch.uint8,
    "I8": torch.int8,
    "I16": torch.int16,
    "I32": torch.int32,
    "I64": torch.int64,
    "BF16": torch.bfloat16,
    "F16": torch.float16,
    "F32": torch.float32,
    "F64": torch.float64,
    "C64": torch.complex64,
    "F8_E4M3": torch.float8_e4m3fn,
    "F8_E5M2": torch.float8_e5m2,
}
"""What the format can hold and torch can read back, by the names it has there."""

NAMES = "regard.names"
"""Entry of the header: every name in order, with the name under which its numbers are stored."""

LONGEST_HEADER = 100_000_000
"""Bytes, as safetensors has it."""
NONSENSE = (ValueError, KeyError, AttributeError, TypeError, RecursionError)
"""What reading a header can meet that was never written by :func:`to_bytes`."""


def to_bytes(tensors: Mapping[str, Tensor]) -> bytes:
    """A safetensors file. A tensor with two names (tied weights) is stored once.

    Raises:
        DtypeError: a tensor of a kind that the format cannot hold.
        MissingExtraError: safetensors is not installed.
    """
    save = need("safetensors.torch", "writing a model").save
    stored: dict[str, Tensor] = {}
    names: dict[str, str] = {}
    first: dict[tuple[object, ...], str] = {}
    taken: set[int] = set()
    for name, tensor in tensors.items():
        _require_storable(name, tensor)
        names[name] = first.setdefault(place(tensor), name)
        if names[name] == name:
            stored[name] = _alone(tensor, taken)
    data: bytes = save(stored, metadata={NAMES: json.dumps(names)})
    return data


class Outline(NamedTuple):
    """What a file says of one of its tensors."""

    shape: tuple[int, ...]
    dtype: torch.dtype
    stored: str
    """The name under which its numbers are; tied ones share it."""


def outlines(file: BufferedReader, source: object) -> dict[str, Outline]:
    """Shapes and kinds of the tensors of a safetensors file, of which only the header is read.

    Args:
        file: open at its beginning.
        source: where it came from, for the message.

    Raises:
        DamagedError: not a safetensors file.
    """
    try:
        length = int.from_bytes(file.read(8), "little")
        if length > LONGEST_HEADER:
            raise ValueError("its header is too long")
        header = parsed(file.read(length))
        names = _names(header.pop("__metadata__", {})) or {name: name for name in header}
        return {
            name: Outline(tuple(header[first]["shape"]), DTYPES[header[first]["dtype"]], first)
            for name, first in names.items()
        }
    except NONSENSE as error:
        raise _no_safetensors(source, error) from None


def from_bytes(data: bytes, source: object) -> dict[str, Tensor]:
    """The tensors of a safetensors file, on the CPU; tied ones are one tensor again.

    Args:
        data: the file.
        source: where it came from, for the message.

    Raises:
        DamagedError: not a safetensors file.
        MissingExtraError: safetensors is not installed.
    """
    load = need("safetensors.torch", "reading a model").load
    try:
        stored: dict[str, Tensor] = load(data)
        length = int.from_bytes(data[:8], "little")
        names = _names(parsed(data[8 : 8 + length]).get("__metadata__", {}))
        return {name: stored[first] for name, first in names.items()} or stored
    except (need("safetensors", "reading a model").SafetensorError, *NONSENSE) as error:
        raise _no_safetensors(source, error) from None


def distinct(tensors: Mapping[str, Tensor]) -> list[Tensor]:
    """Each tensor once, whatever names it has."""
    return list({place(tensor): tensor for tensor in tensors.values()}.values())


def place(tensor: Tensor) -> tuple[object, ...]:
    """Equal for two tensors exactly when they are the same numbers in the same memory."""
    start = (tensor.device, tensor.data_ptr(), tensor.dtype)
    return (*start, tuple(tensor.shape), tensor.stride(), tensor.is_conj(), tensor.is_neg())


def _names(metadata: Mapping[str, str]) -> dict[str, str]:
    """Every name in order, with the one under which its numbers are stored."""
    return parsed(metadata[NAMES]) if NAMES in metadata else {}


def _no_safetensors(source: object, error: Exception) -> DamagedError:
    return DamagedError(
        f"{source} is damaged: it is no file in the safetensors format ({error}); "
        "use another checkpoint"
    )


def _require_storable(name: str, tensor: Tensor) -> None:
    if tensor.dtype not in DTYPES.values() or tensor.layout != torch.strided or tensor.is_meta:
        raise DtypeError(
            f"a checkpoint holds dense tensors of numbers, got {name!r} with {tensor.dtype}, "
            f"{tensor.layout} on {tensor.device}; convert it before saving"
        )


def _alone(tensor: Tensor, taken: set[int]) -> Tensor:
    """The same numbers in order, in memory of their own, which is then ``taken``."""
    own = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()
    storage = own.untyped_storage()
    if storage.data_ptr() in taken or storage.nbytes() != own.numel() * own.element_size():
        own = own.clone()
    taken.add(own.untyped_storage().data_ptr())
    return own


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
