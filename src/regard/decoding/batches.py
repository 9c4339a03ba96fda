"""Sources of like length together."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Annotated, NamedTuple

import torch
from pydantic import Field

from regard.config import Config
from regard.errors import RangeError
from regard.types import Int, Tensor

Positive = Annotated[int, Field(ge=1)]


class BatchLimit(Config):
    """How much is decoded at once."""

    sentences: Positive = 64
    """Sources in a batch."""
    tokens: Positive = 8192
    """Their tokens, padding included; a source that is longer has a batch for itself."""
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


def batches(
    sources: Iterable[Sequence[int]], limit: BatchLimit, *, pad: int, device: torch.device
) -> Iterator[Sources]:
    """All sources in batches, the longest of those read ahead first.

    Raises:
        RangeError: a source without tokens.
    """
    numbered = enumerate(sources)
    while ahead := list(islice(numbered, limit.ahead)):
        for number, source in ahead:
            if len(source) == 0:
                raise RangeError(
                    f"a source needs at least one token, its end, got none in source {number}; "
                    "end every source as the model was trained"
                )
        ahead.sort(key=lambda pair: (-len(pair[1]), pair[0]))
        while ahead:
            count = max(1, min(limit.sentences, limit.tokens // len(ahead[0][1])))
            yield _filled(ahead[:count], pad, device)
            ahead = ahead[count:]


def _filled(pairs: list[tuple[int, Sequence[int]]], pad: int, device: torch.device) -> Sources:
    width = len(pairs[0][1])
    rows = [[*source, *[pad] * (width - len(source))] for _, source in pairs]
    return Sources(
        [number for number, _ in pairs],
        [source for _, source in pairs],
        torch.tensor(rows, device=device),
        torch.tensor([len(source) for _, source in pairs], device=device),
    )
