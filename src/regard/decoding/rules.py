"""Limits of length, forbidden tokens and end tokens, at each step of a batch."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import torch
from pydantic import Field, model_validator

from regard.config import Config
from regard.errors import RangeError
from regard.types import Float, Int, Tensor

from .history import History
from .processors import Processor, Seen
from .top_k import Array, log_total, whole

Count = Annotated[int, Field(ge=0, le=1_000_000)]
Token = Annotated[int, Field(ge=0, le=2**31 - 1)]


class Limits(Config):
    """How long an answer may become, and what it may not contain.

    A source of S tokens is answered with ``min_length`` tokens at least, and at most with
    ``min(max_length, ratio · S + offset)``, or ``min_length`` where this is more. At most, the end
    of the sentence counts as one of them: an answer of this many tokens was cut.
    """

    min_length: Count = 0
    """Tokens that are written before the sentence may end."""
    max_length: Annotated[int, Field(ge=1, le=1_000_000)] = 256
    """Tokens at which it is cut, however long the source is."""
    ratio: Annotated[float, Field(ge=0, le=1000)] = 2.0
    """Tokens for each token of the source, its end included, at which it is cut."""
    offset: Count = 10
    """Tokens beside them."""
    context: Annotated[int, Field(ge=1)] | None = None
    """Tokens that a model can look at, source and answer together, where it is one text."""
    forced_end: bool = False
    """Whether an answer ends at the limit as if the model had ended it; otherwise it is cut."""
    forbidden: tuple[Token, ...] = ()
    """Tokens that are never written, beside padding and the beginning of a sentence."""

    @model_validator(mode="after")
    def _some_length_is_left(self) -> "Limits":
        if self.min_length > self.max_length:
            raise ValueError(
                f"min_length needs to be at most max_length, {self.max_length}, got "
                f"{self.min_length}"
            )
        return self

    def longest(self, source_length: int) -> int:
        """Tokens at which the answer to a source of so many tokens is cut."""
        by_source = math.floor(self.ratio * source_length) + self.offset
        if self.context is not None:
            by_source = min(by_source, self.context - source_length + 1)
        return max(1, self.min_length, min(self.max_length, by_source))


@dataclass(frozen=True, eq=False)
class Rules:
    """What may be written when.

    Args:
        eos: tokens that end a sentence; nothing does without any.
        forbidden: tokens that are never written.
        min_length: tokens before a sentence may end.
        longest: tokens at which each sentence is cut.
        source_lengths: tokens of each sentence's source.
        processors: what changes logits before a token is chosen.
        begun: tokens that each sentence begins with, for them to know.
        forced_end: whether a sentence ends at its limit, whatever the model says.
    """

    eos: tuple[int, ...]
    forbidden: tuple[int, ...]
    min_length: int
    longest: Int[Array, " B"]
    source_lengths: Sequence[int]
    processors: tuple[Processor, ...] = ()
    begun: Sequence[Sequence[int]] = ()
    forced_end: bool = False

    def history(self, width: int) -> "History | None":
        """What rows have written, of ``width`` rows for each sentence, if somebody asks for it."""
        return History.beginning(self.begun, width) if self.processors else None

    def settled(
        self,
        logits: Float[Tensor, "R V"],
        step: int,
        history: "History | None" = None,
        longest: Int[Array, " R"] | None = None,
    ) -> tuple[Float[Tensor, "R V"], Float[Tensor, "R 1"]]:
        """Logits of what may be written, and what turns them into logarithms of probabilities.

        The second is taken off the first. It is about all tokens: what may not be written has
        its probability, and is not chosen.

        Args:
            logits: of all tokens; written over.
            step: tokens that have been written.
            history: what was written, for processors.
            longest: the limit of each row, for those that must end there.

        Raises:
            RangeError: logits that are no numbers, or a token that the model does not have.
        """
        if step == 0:
            self._require_tokens(logits.shape[-1])
        logits = logits if logits.dtype == torch.float64 else logits.float()
        total = log_total(logits)
        if np.isnan(whole(total)).any():
            raise RangeError(
                "decoding needs logits that are numbers, got NaN from the model; look at its "
                "parameters and at the training that made them"
            )
        if history is not None:
            logits = self._processed(logits, history)
        never = (*self.forbidden, *self.eos) if step < self.min_length else self.forbidden
        forbidden = torch.tensor(never, dtype=torch.long, device=logits.device)
        logits = logits.index_fill_(1, forbidden, -torch.inf)
        if self.forced_end and self.eos and longest is not None:
            logits = self._ending(logits, torch.from_numpy(longest <= step + 1))
        return logits, total

    def _processed(self, logits: Tensor, history: "History") -> Tensor:
        """What processors make of the logits; they get a copy."""
        seen = torch.from_numpy(history.tokens).to(logits.device)
        logits = logits.clone()
        for processor in self.processors:
            logits = processor(logits, Seen(seen, history.begun))
        return logits

    def _ending(self, logits: Tensor, last: Tensor) -> Tensor:
        """Nothing but an end may be written in the last step."""
        others = torch.ones(logits.shape[-1], dtype=torch.bool, device=logits.device)
        others[list(self.eos)] = False
        return logits.masked_fill_(last.to(logits.device).unsqueeze(-1) & others, -torch.inf)

    def _require_tokens(self, vocab: int) -> None:
        special = {*self.eos, *self.forbidden}
        unknown = [token for token in special if not 0 <= token < vocab]
        if unknown:
            raise RangeError(
                "bos, eos, pad and forbidden tokens need to be among the model's "
                f"{vocab} target tokens, 0 to {vocab - 1}, got {unknown[0]}"
            )
        if len(special) == vocab:
            raise RangeError(
                f"decoding needs a token that may be written, got {vocab} that all end a sentence "
                "or are forbidden; forbid fewer"
            )
