"""Which tokens are hidden, and by what: chance by counters, so that it can be taken up anywhere."""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from regard.config import Config
from regard.data.batches.pools import Positions, Ragged
from regard.data.chance import uniform


class Masking(Config):
    """Devlin et al. 2019, section 3.1 (https://arxiv.org/abs/1810.04805)."""

    share: float = Field(default=0.15, gt=0, lt=1)
    """Share of the tokens of a text that are to be guessed; at least one is."""
    masked: float = Field(default=0.8, ge=0, le=1)
    """Share of those that are read as [MASK]."""
    replaced: float = Field(default=0.1, ge=0, le=1)
    """Share of those that are read as some other token; the rest is read as it is."""
    unit: Literal["pieces", "words"] = "words"
    """What is hidden at once: single tokens, or all tokens of a word."""
    seed: int = Field(default=0, ge=0)
    """Of all that is drawn."""


class Hidden(NamedTuple):
    """Texts with some tokens hidden."""

    inputs: NDArray[np.int32]
    """What is read, all texts in a row."""
    places: NDArray[np.bool_]
    """Which of them are to be guessed."""


def hidden(
    tokens: Ragged,
    words: NDArray[np.bool_],
    *,
    numbers: Positions,
    epoch: int,
    mask: int,
    real: Positions,
    masking: Masking,
) -> Hidden:
    """Texts with some tokens hidden; other ones in every epoch.

    Every draw is a hash of (seed, epoch, number of the text, place of the token): it depends on
    nothing that was drawn before, nor on the texts beside it.

    Args:
        tokens: the texts.
        words: for every token, whether a word begins with it.
        numbers: what the texts are called.
        epoch: counted from 0.
        mask: the token that a hidden one is read as.
        real: tokens that another one may be read as.
        masking: how many, and by what.
    """
    row = np.repeat(np.arange(len(tokens)), tokens.lengths)  # of every token
    place = np.arange(len(row)) - tokens.offsets[row]
    key = masking.seed, epoch, numbers[row]
    begin = np.arange(len(row)) if masking.unit == "pieces" else _begins(words, place == 0)
    # Words of a text in the order of their draws; one is hidden if those before it are too few.
    order = np.lexsort((place, begin, uniform(*key, place[begin], 0), row))
    rank = np.empty_like(place)
    rank[order] = place  # texts have the same places in both orders
    asked = np.maximum(1, np.rint(masking.share * tokens.lengths)).astype(np.int64)
    places = rank[begin] < asked[row]  # a word's first token comes first of it
    fate = uniform(*key, place, 1)
    kept = np.where(places & (fate < masking.masked), mask, tokens.values)
    other = places & (fate >= masking.masked) & (fate < masking.masked + masking.replaced)
    drawn = real[(uniform(*key, place, 2) * len(real)).astype(np.int64)]
    return Hidden(np.where(other, drawn, kept).astype(np.int32), places)


def _begins(words: NDArray[np.bool_], first: NDArray[np.bool_]) -> Positions:
    """Where the word of every token begins."""
    here = np.where(words | first, np.arange(len(words)), 0)
    return np.maximum.accumulate(here)
