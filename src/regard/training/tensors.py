"""Named tensors as bytes in the safetensors format, bit for bit, tied ones once."""

import json
from collections.abc import Mapping

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from ..errors import DamagedError, DtypeError

DTYPES = frozenset(
    {
        torch.bool,
        torch.uint8,
        torch.uint16,
        torch.uint32,
        torch.uint64,
        torch.int8,
        torch.int16,
        torch.int32,
        torch.int64,
        torch.bfloat16,
        torch.float16,
        torch.float32,
        torch.float64,
        torch.complex64,
        torch.float8_e4m3fn,
        torch.float8_e5m2,
    }
)
"""What the format can hold and torch can read back."""

NAMES = "regard.names"
"""Entry of the header: every name in order, with the name under which its numbers are stored."""


def to_bytes(tensors: Mapping[str, Tensor]) -> bytes:
    """A safetensors file. A tensor with two names (tied weights) is stored once.

    Raises:
        DtypeError: a tensor of a kind that the format cannot hold.
    """
    stored: dict[str, Tensor] = {}
    names: dict[str, str] = {}
    first: dict[tuple[object, ...], str] = {}
    taken: set[int] = set()
    for name, tensor in tensors.items():
        _require_storable(name, tensor)
        names[name] = first.setdefault(place(tensor), name)
        if names[name] == name:
            stored[name] = _alone(tensor, taken)
    return save(stored, metadata={NAMES: json.dumps(names)})


def from_bytes(data: bytes, source: object) -> dict[str, Tensor]:
    """The tensors of a safetensors file, on the CPU; tied ones are one tensor again.

    Args:
        data: the file.
        source: where it came from, for the message.

    Raises:
        DamagedError: not a safetensors file.
    """
    try:
        stored = load(data)
        length = int.from_bytes(data[:8], "little")
        metadata = json.loads(data[8 : 8 + length]).get("__metadata__", {})
        names = json.loads(metadata[NAMES]) if NAMES in metadata else {}
        return {name: stored[first] for name, first in names.items()} or stored
    except (SafetensorError, ValueError, KeyError, AttributeError) as error:
        raise DamagedError(
            f"{source} is damaged: it is no file in the safetensors format ({error}); "
            "use another checkpoint"
        ) from None


def distinct(tensors: Mapping[str, Tensor]) -> list[Tensor]:
    """Each tensor once, whatever names it has."""
    return list({place(tensor): tensor for tensor in tensors.values()}.values())


def place(tensor: Tensor) -> tuple[object, ...]:
    """Equal for two tensors exactly when they are the same numbers in the same memory."""
    start = (tensor.device, tensor.data_ptr(), tensor.dtype)
    return (*start, tuple(tensor.shape), tensor.stride(), tensor.is_conj(), tensor.is_neg())


def _require_storable(name: str, tensor: Tensor) -> None:
    if tensor.dtype not in DTYPES or tensor.layout != torch.strided or tensor.is_meta:
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
