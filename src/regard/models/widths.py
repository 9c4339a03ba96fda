"""How wide what goes into each layer of a stack is."""

from collections.abc import Iterator
from itertools import chain, repeat


def fed_widths(first: int, others: int, num_layers: int) -> Iterator[int]:
    """One width after the other: there is no list of all, whatever a config asks for.

    Args:
        first: of what the lowest layer reads.
        others: of what every layer gives to the next.
        num_layers: how many there are.
    """
    return chain((first,), repeat(others, num_layers - 1))
