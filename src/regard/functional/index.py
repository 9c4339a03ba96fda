"""Positions picked from an axis, as indexing a tensor picks them."""

from collections.abc import Iterable, Sequence
from typing import Any, SupportsIndex

import torch

from regard.errors import DtypeError, RangeError, ShapeError
from regard.types import Tensor

Index = SupportsIndex | slice | Sequence[SupportsIndex] | Tensor
"""What picks rows or heads, with the meaning it has for a tensor: an integer drops the axis, whole
numbers are positions (negative ones from the end), booleans say of every position whether it is
wanted. Arrays of numpy and its integers count as lists and integers."""


def picked(what: str, index: Index | None, size: int) -> tuple[range | Tensor, bool]:
    """Positions picked from ``size``, and whether the axis is to be dropped.

    Raises:
        DtypeError: neither whole numbers nor booleans.
        ShapeError: not one boolean for each position.
        RangeError: a position that is not there.
    """
    if index is None:
        return range(size), False
    if isinstance(index, slice):
        chosen = range(size)[index]
        return (chosen if chosen.step == 1 else torch.tensor(list(chosen)).long()), False
    given = _plain(index)
    one = isinstance(given, SupportsIndex) and not isinstance(given, bool)
    wanted = [given] if one else _several(what, given, size)
    for i in wanted:
        if not isinstance(i, SupportsIndex) or isinstance(i, bool):
            raise _unfit(what, i, size)
        if not -size <= i.__index__() < size:
            raise RangeError(f"{what} needs positions below {size}, got {i}")
    return torch.tensor([i.__index__() % size for i in wanted]).long(), one


def take(x: Tensor, what: str, index: Index | None, axis: int) -> Tensor:
    """The entries of ``axis``, counted from the end, that were picked.

    Raises:
        ShapeError: there is no such axis.
    """
    if index is None:
        return x
    if x.dim() < -axis:
        raise ShapeError(f"{what} needs an axis to pick from, got weights {tuple(x.shape)}")
    chosen, dropped = picked(what, index, x.shape[axis])
    if isinstance(chosen, range):
        return x.narrow(axis, chosen.start, len(chosen))
    taken = x.index_select(axis, chosen.to(x.device))
    return taken.squeeze(axis) if dropped else taken


def _several(what: str, given: Any, size: int) -> list[Any]:
    """The positions of a list of them, or where a list of booleans is true."""
    if not isinstance(given, Iterable):
        raise _unfit(what, given, size)
    wanted = [_plain(i) for i in given]
    if not wanted or not all(isinstance(i, bool) for i in wanted):
        return wanted
    if len(wanted) != size:
        raise ShapeError(f"{what} needs one boolean for each of {size}, got {len(wanted)}")
    return [i for i, here in enumerate(wanted) if here]


def _plain(x: Any) -> Any:
    """Tensors, arrays and their numbers as lists and numbers of Python."""
    return x.tolist() if hasattr(x, "tolist") else x


def _unfit(what: str, came: object, size: int) -> DtypeError:
    return DtypeError(
        f"{what} needs whole numbers, a slice, or one boolean for each of {size}, got "
        f"{type(came).__name__}"
    )
