"""A text made of another, part by part, so that words of both find each other."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch

from regard.data.vocabulary import Span
from regard.types import Float, Tensor


class Part(NamedTuple):
    """Where a part stands in the original, and what became of it."""

    span: Span
    text: str


class Rewriting(NamedTuple):
    """All of the original in order; what was put in has an empty span."""

    original: str
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """What became of it."""
        return "".join(part.text for part in self.parts)

    def overlaps(self, before: Sequence[Span], after: Sequence[Span]) -> Float[Tensor, "A B"]:
        """1 where a word of the new text came from a word of the original.

        Args:
            before: words of the original.
            after: words of what became of it.
        """
        found = torch.zeros(len(after), len(before), dtype=torch.float64)
        start = 0
        for (first, last), text in self.parts:
            end = start + len(text)
            same = self.original[first:last] == text
            for row, (left, right) in enumerate(after):
                left, right = max(left, start), min(right, end)
                if left >= right:
                    continue
                source = (first + left - start, first + right - start) if same else (first, last)
                for column, (one, other) in enumerate(before):
                    if one < source[1] and source[0] < other:
                        found[row, column] = 1
            start = end
        return found


def rewritten(original: str, changes: Iterable[tuple[Span, str]]) -> Rewriting:
    """The original with some spans of it replaced; they do not overlap."""
    parts: list[Part] = []
    place = 0
    for (start, end), text in sorted(changes):
        if start > place:
            parts.append(Part((place, start), original[place:start]))
        parts.append(Part((start, end), text))
        place = end
    if place < len(original):
        parts.append(Part((place, len(original)), original[place:]))
    return Rewriting(original, tuple(parts))
