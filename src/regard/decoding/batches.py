"""Batches of sources of like length, and what a model starts from: tokens, features, or else."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Annotated, Any, NamedTuple, Protocol, runtime_checkable

import torch
from pydantic import Field
from torch.nn.functional import pad as pad_axes

from regard.config import Config
from regard.errors import RangeError
from regard.types import Float, Int, Tensor


class Prompt(NamedTuple):
    """The sources of one batch, as the model's ``start`` takes them."""

    inputs: Any
    """A tensor, or whatever the model reads; one element for each source."""
    lengths: Int[Tensor, " B"]
    """How much of each is not padding."""
    first: Int[Tensor, " B"] | None = None
    """The token that each row is fed first; ``None``: the one that begins a sentence."""


@runtime_checkable
class Prompts(Protocol):
    """How sources of one type become prompts. A task with sources of its own passes its own."""

    def length(self, source: Any) -> int:
        """Positions that a model can look at; by them sources are sorted and answers limited."""

    def key(self, source: Any) -> object:
        """What tells a source from others, by its ``repr``: equal ones are answered alike."""

    def batch(self, sources: Sequence[Any], device: torch.device) -> Prompt:
        """These sources together, filled up to the longest."""


class TokenPrompts:
    """Lists of token numbers, as (B, S).

    Args:
        pad: token that fills up short ones.
    """

    def __init__(self, pad: int = 0) -> None:
        self._pad = pad

    def length(self, source: Sequence[int]) -> int:
        """Tokens."""
        return len(source)

    def key(self, source: Sequence[int]) -> object:
        """The tokens themselves."""
        return [int(token) for token in source]

    def batch(self, sources: Sequence[Sequence[int]], device: torch.device) -> Prompt:
        """Filled up with ``pad``."""
        width = max(map(len, sources))
        rows = [[*source, *[self._pad] * (width - len(source))] for source in sources]
        lengths = [len(source) for source in sources]
        return Prompt(
            torch.tensor(rows, dtype=torch.long, device=device),  # (B, S)
            torch.tensor(lengths, device=device),
        )


class ContinuedPrompts(TokenPrompts):
    """Beginnings that a decoder-only model continues.

    ``start`` gets all tokens of a beginning but the last, which is what the first step is fed.
    """

    def begun(self, source: Sequence[int]) -> list[int]:
        """A beginning is part of what is written."""
        return [int(token) for token in source]

    def batch(self, sources: Sequence[Sequence[int]], device: torch.device) -> Prompt:
        """All but the last token (B, S - 1), and the last."""
        inputs, lengths, _ = super().batch([source[:-1] for source in sources], device)
        return Prompt(inputs, lengths, torch.tensor([source[-1] for source in sources]).to(device))


class FeaturePrompts:
    """Feature maps (S, ...), e.g. the positions of an image with their channels, as (B, S, ...)."""

    def length(self, source: Float[Tensor, "S *D"]) -> int:
        """Positions."""
        return len(source)

    def key(self, source: Float[Tensor, "S *D"]) -> object:
        """A digest of the numbers."""
        numbers = source.detach().cpu().contiguous()
        digest = hashlib.blake2b(numbers.view(torch.uint8).numpy().tobytes(), digest_size=16)
        return tuple(source.shape), digest.hexdigest()

    def batch(self, sources: Sequence[Float[Tensor, "_ *D"]], device: torch.device) -> Prompt:
        """Filled up with zeros."""
        width = max(map(len, sources))
        filled = [
            pad_axes(source, (*[0, 0] * (source.dim() - 1), 0, width - len(source)))
            for source in sources
        ]
        lengths = torch.tensor([len(source) for source in sources], device=device)
        return Prompt(torch.stack(filled).to(device), lengths)  # (B, S, ...)


def begun(prompts: Prompts, source: Any) -> list[int]:
    """The tokens of ours that an answer begins with: none, where the source is another text."""
    return prompts.begun(source) if isinstance(prompts, ContinuedPrompts) else []


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
