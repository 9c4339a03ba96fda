"""Named tensors as bytes in the safetensors format, bit for bit, tied ones once."""

import json
from collections.abc import Mapping
from io import BufferedReader
from typing import NamedTuple

import torch
from torch import Tensor

from regard.errors import DamagedError, DtypeError
from regard.extras import need

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
        header = json.loads(file.read(length))
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
        names = _names(json.loads(data[8 : 8 + length]).get("__metadata__", {}))
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
    return json.loads(metadata[NAMES]) if NAMES in metadata else {}


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
