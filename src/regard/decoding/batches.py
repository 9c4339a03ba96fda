"""Batches of sources of like length."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Annotated, Any, NamedTuple

import torch
from pydantic import Field

from regard.config import Config
from regard.errors import RangeError

from .prompts import Prompt, Prompts

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
    """Sources that are decoded together."""

    numbers: list[int]
    """Where each stands among all of them."""
    values: list[Any]
    """The sources themselves."""
    lengths: list[int]
    """Positions of each, that a model can look at."""
    prompt: Prompt
    """What the model starts from."""
    prompts: Prompts
    """How it was made."""

    @property
    def width(self) -> int:
        """Positions of the longest."""
        return max(self.lengths)

    @property
    def device(self) -> torch.device:
        """Where the prompt is."""
        return self.prompt.lengths.device


class _Pending(NamedTuple):
    """A source that has not begun."""

    number: int
    length: int
    value: Any


class PendingBatch:
    """Sources that have been read and not begun, the longest first.

    Args:
        sources: with their numbers.
        limit: how much is decoded at once.
        rows: hypotheses of a source at most.
        prompts: how they become what the model starts from.
        device: where they go.
    """

    def __init__(
        self,
        sources: list[tuple[int, Any]],
        limit: BatchLimit,
        *,
        rows: int,
        prompts: Prompts,
        device: torch.device,
    ) -> None:
        pending = [_Pending(number, prompts.length(one), one) for number, one in sources]
        for number, length, _ in pending:
            if length == 0:
                raise RangeError(
                    f"a source needs at least one token, its end, got none in source {number}; "
                    "end every source as the model was trained"
                )
        self._sources = sorted(pending, key=lambda one: (-one.length, one.number))
        self._limit, self._prompts, self._device = limit, prompts, device
        self._most = min(limit.sentences, limit.rows // rows)

    def __len__(self) -> int:
        return len(self._sources)

    def room(self, widest: int = 0) -> int:
        """How many of them may be decoded at once, beside others with so many tokens at most."""
        width = max(widest, self._sources[0].length) if self._sources else 1
        return max(1, min(self._most, self._limit.tokens // width))

    def pop(self, count: int) -> Sources:
        """The next ``count``, which are pending no more."""
        some, self._sources = self._sources[:count], self._sources[count:]
        numbers, lengths, values = (list(each) for each in zip(*some, strict=True))
        prompt = self._prompts.batch(values, self._device)
        return Sources(numbers, values, lengths, prompt, self._prompts)


def windows(
    sources: Iterable[Any],
    limit: BatchLimit,
    *,
    rows: int,
    prompts: Prompts,
    device: torch.device,
) -> Iterator[PendingBatch]:
    """All sources, as many at a time as are read ahead.

    Raises:
        RangeError: a source without tokens.
    """
    numbered = enumerate(sources)
    while ahead := list(islice(numbered, limit.ahead)):
        yield PendingBatch(ahead, limit, rows=rows, prompts=prompts, device=device)
