"""Sizes a user passes to a position."""

from regard.errors import RangeError
from regard.functional.value import require_whole


def require_length(owner: str, *, n: int, start: int) -> None:
    """Raise unless ``n`` is a number of positions, from none, and ``start`` a whole one."""
    require_whole(owner, "n", n)
    require_whole(owner, "start", start)
    if n < 0:
        raise RangeError(f"{owner} needs n of at least 0, got {n}")
