"""Logits processors: n-gram blocking, banned, forced and included words, repetition penalty.

>>> decode(model, sources, processors=(RepetitionPenalty(1.2), NoRepeatNGram(3)))
"""

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import torch
from pydantic import Field

from regard.config import Config
from regard.types import Float, Int, Tensor

Token = Annotated[int, Field(ge=0, le=2**31 - 1)]
Words = tuple[tuple[Token, ...], ...]
"""Words as their tokens."""


class Seen(NamedTuple):
    """What each row has before it."""

    tokens: Int[Tensor, "R n"]
    """Beginning and all that was written; -1 before the first token of a short beginning."""
    begun: int
    """Columns of the beginnings."""

    @property
    def step(self) -> int:
        """Tokens that have been written."""
        return self.tokens.shape[1] - self.begun


@runtime_checkable
class Processor(Protocol):
    """What changes logits; those of beam search are log-probabilities."""

    def __call__(self, logits: Float[Tensor, "R V"], seen: Seen) -> Float[Tensor, "R V"]:
        """Other logits, which may be the same tensor, written over."""


class RepetitionPenalty(Config):
    r"""Tokens that were there already become less likely.

    .. math:: o_v \leftarrow o_v / \theta \;(o_v > 0), \quad o_v \theta \;(o_v \le 0)

    Keskar et al. 2019, section 4.1 (https://arxiv.org/abs/1909.05858).
    """

    penalty: float = Field(default=1.2, gt=0)
    """θ: 1 is without."""

    def __call__(self, logits: Float[Tensor, "R V"], seen: Seen) -> Float[Tensor, "R V"]:
        """Once for each token, however often it was there."""
        if not seen.tokens.shape[1]:
            return logits
        # What stands before a short beginning is taken for a token that this row has: its first.
        known = torch.where(seen.tokens < 0, seen.tokens[:, -1:], seen.tokens)
        real = known >= 0
        known = known.clamp(min=0)
        scores = logits.gather(1, known)
        changed = torch.where(scores < 0, scores * self.penalty, scores / self.penalty)
        return logits.scatter_(1, known, torch.where(real, changed, scores))


class NoRepeatNGram(Config):
    """No n-gram comes twice.

    Paulus et al. 2017, section 2.5 (https://arxiv.org/abs/1705.04304), who forbid trigrams.
    """

    size: int = Field(default=3, ge=1)
    """n."""

    def __call__(self, logits: Float[Tensor, "R V"], seen: Seen) -> Float[Tensor, "R V"]:
        """Forbid whatever would end an n-gram that was there."""
        size, tokens = self.size, seen.tokens
        if tokens.shape[1] < size:
            return logits
        grams = tokens.unfold(1, size, 1)  # (R, n - size + 1, size)
        last = tokens[:, tokens.shape[1] - size + 1 :].unsqueeze(1)
        again = (grams[..., :-1] == last).all(dim=-1) & (grams >= 0).all(dim=-1)
        row, place = again.nonzero(as_tuple=True)
        return logits.index_put_((row, grams[row, place, -1]), logits.new_tensor(-torch.inf))


class Banned(Config):
    """Words that are never written, each of one token or more."""

    words: Words
    """As their tokens."""

    def __call__(self, logits: Float[Tensor, "R V"], seen: Seen) -> Float[Tensor, "R V"]:
        """Forbid the last token of a word wherever the others stand before it."""
        for *before, last in self.words:
            rows = _ending_with(seen.tokens, before)
            logits[rows, last] = -torch.inf
        return logits


class Forced(Config):
    """Words that are written as soon as their first tokens were: what begins one, goes on with it.

    With ``prefix`` every answer begins with these tokens.
    """

    prefix: tuple[Token, ...] = ()
    """What every answer begins with."""
    words: Words = ()
    """Words that are not left unfinished."""

    def __call__(self, logits: Float[Tensor, "R V"], seen: Seen) -> Float[Tensor, "R V"]:
        """Forbid all tokens but the one that goes on."""
        if seen.step < len(self.prefix):
            return _only(logits, slice(None), self.prefix[seen.step])
        written = seen.tokens[:, seen.begun :]
        for word in self.words:
            for known in range(1, min(len(word), written.shape[1] + 1)):
                logits = _only(logits, _ending_with(written, word[:known]), word[known])
        return logits


class Included(Config):
    """Words that an answer must contain: it may not end before all of them were written.

    A bound on where a search may end, not on how it gets there: with beams, give it a size.
    """

    words: Words
    """As their tokens."""
    eos: tuple[Token, ...] = (3,)
    """What ends a sentence."""

    def __call__(self, logits: Float[Tensor, "R V"], seen: Seen) -> Float[Tensor, "R V"]:
        """Forbid the end where a word is missing."""
        written = seen.tokens[:, seen.begun :].cpu().numpy()
        missing = [not all(_contains(row, word) for word in self.words) for row in written]
        rows = torch.tensor(missing, device=logits.device).nonzero().squeeze(-1)
        for token in self.eos:
            logits[rows, token] = -torch.inf
        return logits


def _ending_with(tokens: Int[Tensor, "R n"], word: Sequence[int]) -> Any:
    """The rows whose last tokens are these."""
    if not word:
        return slice(None)
    if tokens.shape[1] < len(word):
        return []
    same = tokens[:, tokens.shape[1] - len(word) :] == tokens.new_tensor(list(word))
    return same.all(dim=-1).nonzero().squeeze(-1)


def _only(logits: Float[Tensor, "R V"], rows: Any, token: int) -> Float[Tensor, "R V"]:
    kept = logits[rows, token].clone()
    logits[rows] = -torch.inf
    logits[rows, token] = kept
    return logits


def _contains(row: Any, word: Sequence[int]) -> bool:
    size = len(word)
    if len(row) < size:
        return False
    return bool((np.lib.stride_tricks.sliding_window_view(row, size) == word).all(axis=-1).any())
