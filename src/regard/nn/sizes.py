"""Sizes a user passes to a module."""

from regard.errors import RangeError
from regard.functional.value import require_whole


def require_sizes(owner: object, **sizes: int) -> None:
    """Raise unless every size is a whole number of at least 1."""
    name = type(owner).__name__
    for what, size in sizes.items():
        require_whole(name, what, size)
        if size < 1:
            raise RangeError(f"{name} needs {what} of at least 1, got {size}")
