"""Sizes and numbers: every axis has its own length, so that a swapped axis shows."""

import random
from collections.abc import Mapping
from typing import Any

BATCH, HEADS, QUERIES, KEYS, VALUE_DIM = 2, 3, 5, 7, 6
QUERY_DIM, OTHER_DIM, HIDDEN_DIM = 4, 8, 9
REACH = 2

Nested = Any
"""Lists of lists ... of floats, as deep as the tensor has axes."""

Parameters = Mapping[str, Nested]


def numbers(seed: str, *shape: int, scale: float = 1.0) -> Nested:
    """Normal numbers in nested lists, always the same for one seed."""
    generator = random.Random(seed)

    def fill(axes: tuple[int, ...]) -> Nested:
        if not axes:
            return generator.gauss(0.0, scale)
        return [fill(axes[1:]) for _ in range(axes[0])]

    return fill(shape)
