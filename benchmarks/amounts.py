"""Numbers as people read them: three or so digits, and a unit."""

MEGABYTE = 1_000_000


def decimals(value: float) -> int:
    """How many digits after the point leave about three that count."""
    size = abs(value)
    if size < 2:
        return 3
    if size < 10:
        return 2
    return 1 if size < 100 else 0


def amount(value: float, unit: str = "") -> str:
    """``value`` with ``unit``: ``61.2×``, ``0.987×``, ``11.7 ms``; without a unit, bare."""
    space = "" if unit in ("", "×") else " "
    return f"{value:,.{decimals(value)}f}{space}{unit}"


def bound(value: float, unit: str = "") -> str:
    """A goal's bound, written as it was set: ``30×``, ``1.05×``, ``300 MB``."""
    space = "" if unit in ("", "×") else " "
    return f"{value:,g}{space}{unit}"


def milliseconds(seconds: float) -> str:
    """Seconds as milliseconds: ``0.00123`` is ``1.230``."""
    return amount(seconds * 1e3)


def megabytes(size: int | float) -> float:
    """Bytes as megabytes of a million bytes."""
    return size / MEGABYTE
