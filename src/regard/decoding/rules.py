"""Limits on tokens: which may be written at each step of a batch, whatever the strategy."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from regard.errors import RangeError
from regard.types import Float, Int, Tensor

from .arrays import Array, whole
from .top_k import log_total


@dataclass(frozen=True, eq=False)
class Rules:
    """What may be written when.

    Args:
        eos: the token that ends a sentence.
        forbidden: tokens that are never written.
        min_length: tokens before a sentence may end.
        longest: tokens at which each sentence is cut.
        source_lengths: tokens of each sentence's source.
    """

    eos: int
    forbidden: tuple[int, ...]
    min_length: int
    longest: Int[Array, " B"]
    source_lengths: Sequence[int]

    def settled(
        self, logits: Float[Tensor, "R V"], step: int
    ) -> tuple[Float[Tensor, "R V"], Float[Tensor, "R 1"]]:
        """Logits of what may be written, and what turns them into logarithms of probabilities.

        The second is taken off the first. It is about all tokens: what may not be written has
        its probability, and is not chosen.

        Args:
            logits: of all tokens; written over.
            step: tokens that have been written.

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
        never = (*self.forbidden, self.eos) if step < self.min_length else self.forbidden
        forbidden = torch.tensor(never, dtype=torch.long, device=logits.device)
        return logits.index_fill_(1, forbidden, -torch.inf), total

    def _require_tokens(self, vocab: int) -> None:
        special = {self.eos, *self.forbidden}
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
