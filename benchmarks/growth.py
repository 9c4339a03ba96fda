"""How a quantity grows with the number of positions."""

import math
from collections.abc import Sequence

Number = int | float


def exponent(sizes: Sequence[Number], values: Sequence[Number], floor: Number = 0.0) -> float:
    r"""The power of N a quantity grows with, by least squares on logarithms.

    .. math:: \log y = a \log N + b

    Args:
        sizes: the N, at least two different ones.
        values: the quantity at each.
        floor: smaller values count as this; a reading of zero bytes has no logarithm.
    """
    x = [math.log(size) for size in sizes]
    y = [math.log(max(value, floor)) for value in values]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    above = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return above / sum((a - mean_x) ** 2 for a in x)


def last_exponent(sizes: Sequence[Number], values: Sequence[Number], floor: Number = 0.0) -> float:
    """The exponent between the two largest sizes, where a constant part hides least."""
    order = sorted(range(len(sizes)), key=lambda at: sizes[at])[-2:]
    return exponent([sizes[at] for at in order], [values[at] for at in order], floor)
