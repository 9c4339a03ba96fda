"""The base of scores, masks and normalisers: values that are immutable once made."""

import sys
from dataclasses import FrozenInstanceError
from numbers import Integral
from typing import NoReturn

import torch

from regard.errors import DtypeError, RangeError


class Value:
    """A frozen value; its subclasses are, too, whether they have fields of their own or not.

    The families built on it mark what a member must define by ``abstractmethod``, but are no
    ``ABC``: a check of the type would cost more than the rest of a small call.
    """

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete field {name!r}")


def require_whole(owner: str, what: str, number: object) -> None:
    """Raise unless ``number`` is a whole number that a tensor can hold."""
    if isinstance(number, bool) or not isinstance(number, int | Integral):
        raise DtypeError(f"{owner} needs a whole number as {what}, got {type(number).__name__}")
    if not -sys.maxsize <= int(number) <= sys.maxsize:
        raise RangeError(f"{owner} needs {what} of at most 64 bits, got {number}")


def require_sizes(owner: object, **sizes: int) -> None:
    """Raise unless every size is a whole number of at least 1; ``owner`` may be a name."""
    name = owner if isinstance(owner, str) else type(owner).__name__
    for what, size in sizes.items():
        require_whole(name, what, size)
        if size < 1:
            raise RangeError(f"{name} needs {what} of at least 1, got {size}")


def require_generator(owner: str, generator: object) -> None:
    """Raise unless ``generator`` is one, or ``None``."""
    if generator is not None and not isinstance(generator, torch.Generator):
        raise DtypeError(
            f"{owner} needs a torch.Generator as generator, got {type(generator).__name__}; make "
            "one by torch.Generator().manual_seed(3)"
        )
