"""Sources of like length together."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Annotated, NamedTuple

import torch
from pydantic import Field

from regard.config import Config
from regard.errors import RangeError
from regard.types import Int, Tensor

Positive = Annotated[int, Field(ge=1, le=2**31 - 1)]
Width = Annotated[int, Field(ge=1, le=1000)]
"""Hypotheses of a source: each takes a state and a row of logits, in every step."""


class BatchLimit(Config):
    """How much is decoded at once."""

    sentences: Positive = 64
    """Sources in a batch."""
    tokens: Positive = 8192
    """Their tokens, padding included; a source that is longer has a batch for itself."""
    rows: Positive = 4096
    """Hypotheses of all of them; a source with more has a batch for itself."""
    ahead: Positive = 4096
    """Sources that are read before the first is answered, to find some of like length."""


class Sources(NamedTuple):
    """Sources that are decoded together, filled up to the longest."""

    numbers: list[int]
    """Where each stands among all of them."""
    lists: list[Sequence[int]]
    """Their tokens."""
    tokens: Int[Tensor, "B S"]
    lengths: Int[Tensor, " B"]


class Waiting:
    """Sources that have been read and not begun, the longest first.

    Args:
        sources: with their numbers.
        limit: how much is decoded at once.
        rows: hypotheses of a source at most.
        pad: token that fills up short sources.
        device: where they go.
    """

    def __init__(
        self,
        sources: list[tuple[int, Sequence[int]]],
        limit: BatchLimit,
        *,
        rows: int,
        pad: int,
        device: torch.device,
    ) -> None:
        for number, source in sources:
            if len(source) == 0:
                raise RangeError(
                    f"a source needs at least one token, its end, got none in source {number}; "
                    "end every source as the model was trained"
                )
        self._sources = sorted(sources, key=lambda pair: (-len(pair[1]), pair[0]))
        self._limit, self._pad, self._device = limit, pad, device
        self._most = min(limit.sentences, limit.rows // rows)

    def __len__(self) -> int:
        return len(self._sources)

    def room(self, widest: int = 0) -> int:
        """How many of them may be decoded at once, beside others with so many tokens at most."""
        width = max(widest, len(self._sources[0][1])) if self._sources else 1
        return max(1, min(self._most, self._limit.tokens // width))

    def taken(self, count: int) -> Sources:
        """The next ``count``, which wait no more."""
        some, self._sources = self._sources[:count], self._sources[count:]
        return _filled(some, self._pad, self._device)


def windows(
    sources: Iterable[Sequence[int]],
    limit: BatchLimit,
    *,
    rows: int,
    pad: int,
    device: torch.device,
) -> Iterator[Waiting]:
    """All sources, as many at a time as are read ahead.

    Raises:
        RangeError: a source without tokens.
    """
    numbered = enumerate(sources)
    while ahead := list(islice(numbered, limit.ahead)):
        yield Waiting(ahead, limit, rows=rows, pad=pad, device=device)


def _filled(pairs: list[tuple[int, Sequence[int]]], pad: int, device: torch.device) -> Sources:
    width = len(pairs[0][1])
    rows = [[*source, *[pad] * (width - len(source))] for _, source in pairs]
    return Sources(
        [number for number, _ in pairs],
        [source for _, source in pairs],
        torch.tensor(rows, device=device),
        torch.tensor([len(source) for _, source in pairs], device=device),
    )
