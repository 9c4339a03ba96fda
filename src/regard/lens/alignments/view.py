"""One picture of an alignment, before anybody draws it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite

import torch

from regard.errors import RangeError, ShapeError
from regard.types import Tensor


@dataclass(frozen=True, eq=False)
class AlignmentView:
    """The words of two sentences and how much each word of the one looked at each of the other.

    Plain data: nothing here knows whether it will be drawn in a terminal, as a picture or as a
    page. Pieces of words are merged before.

    Args:
        source: the words that are looked at.
        target: the words that look.
        weights: (T, S), a row for every target word; any precision, on any device.
        title: a line above the picture, such as the name of a model or a head.

    Raises:
        ShapeError: no word at all, or not a row per target word and a column per source word.
        RangeError: a weight that is negative or no number.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    weights: Tensor | Sequence[Sequence[float]] = field(repr=False)
    title: str = ""
    rows: tuple[tuple[float, ...], ...] = field(init=False, repr=False)
    """The weights as numbers, a row per target word."""

    def __post_init__(self) -> None:
        weights = self.weights
        listed = weights.detach().double().tolist() if torch.is_tensor(weights) else weights
        self._check_sizes(listed)
        rows = tuple(tuple(float(weight) for weight in row) for row in listed)
        object.__setattr__(self, "rows", rows)
        self._check_numbers()

    def _check_sizes(self, rows: object) -> None:
        needed = (len(self.target), len(self.source))
        came = _shape(rows)
        if came != needed or not all(needed):
            raise ShapeError(
                f"an alignment of {needed[0]} target words with {needed[1]} source words, at least "
                f"one of each, needs weights {needed}, got {came or 'rows of different lengths'}"
            )

    def _check_numbers(self) -> None:
        for word, row in zip(self.target, self.rows, strict=True):
            for weight in row:
                if not (isfinite(weight) and weight >= 0):
                    raise RangeError(
                        f"the weights of an alignment must be 0 or more, got {weight:g} for the "
                        f"target word {word!r}"
                    )

    @property
    def largest(self) -> float:
        """The weight drawn in the strongest colour: 1, unless one is larger.

        Views of one scale can be laid side by side, and attention that looks at nothing in
        particular looks faint.
        """
        return max(1.0, *(max(row) for row in self.rows))


def _shape(rows: object) -> tuple[int, ...] | None:
    """The sizes of nested sequences; None if they are ragged."""
    if not isinstance(rows, Sequence):
        return ()
    inner = {_shape(row) for row in rows}
    if len(inner) > 1 or None in inner:
        return None
    return (len(rows), *(inner.pop() or () if inner else ()))
