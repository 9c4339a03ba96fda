"""What a question makes of each word of a passage."""

import numpy as np
from numpy.typing import NDArray

from regard.data.batches.pools import Positions

from .lexicon import Lexicon

NEARBY = 8
"""Words on either side that count as nearby."""

Floats = NDArray[np.float32]


def features(passage: Positions, question: Positions, lexicon: Lexicon) -> Floats:
    """The :data:`regard.models.reading.FEATURES` of words, (B, N, F).

    After Chen et al. 2017, section 3.2 (https://arxiv.org/abs/1704.00051), and what a sliding
    window over the passage tells (Richardson et al. 2013, https://aclanthology.org/D13-1020).

    Args:
        passage: (B, N), numbers of words, 0 behind the last.
        question: (B, J), the same.
        lexicon: what is known of words.
    """
    as_written = _found(passage, question)
    lower = _found(lexicon.lower[passage], lexicon.lower[question])
    stem = _found(lexicon.stem[passage], lexicon.stem[question])
    rare = stem * lexicon.rarity[passage] * (1 - lexicon.shape[passage][..., -1])
    total = (lexicon.rarity[question] * (question > 0)).sum(axis=1, keepdims=True)
    near = _windowed(rare, NEARBY) / np.maximum(total, 1e-6)
    columns = [as_written, lower, stem, rare, near, _frequency(lexicon.lower[passage])]
    told = np.stack(columns, axis=-1).astype(np.float32)
    found: Floats = np.concatenate([told, lexicon.shape[passage]], axis=-1)
    return found


def _found(passage: Positions, question: Positions) -> Floats:
    """Whether each of these numbers is among those."""
    same = passage[:, :, None] == question[:, None, :]
    found: Floats = (same & (passage > 0)[:, :, None]).any(axis=-1).astype(np.float32)
    return found


def _windowed(values: Floats, reach: int) -> Floats:
    """Sums over all that are at most ``reach`` away."""
    width = values.shape[1]
    sums = np.pad(values.cumsum(axis=1), ((0, 0), (1, 0)))
    first = np.maximum(np.arange(width) - reach, 0)
    last = np.minimum(np.arange(width) + reach + 1, width)
    found: Floats = sums[:, last] - sums[:, first]
    return found


def _frequency(passage: Positions) -> Floats:
    """The logarithm of how often the passage has each word, over that of its length."""
    found = np.zeros(passage.shape, dtype=np.float32)
    for row, words in enumerate(passage):
        _, where, times = np.unique(words, return_inverse=True, return_counts=True)
        found[row] = np.log(times[where]) / np.log(max(2, len(words)))
    found *= passage > 0
    return found
