"""Perplexity of a model on a text."""

import math
from typing import NamedTuple

from regard.errors import RangeError


class Perplexity(NamedTuple):
    """Perplexity over two units of one text."""

    per_token: float
    """Comparable between models of one vocabulary."""
    per_word: float
    """Comparable between vocabularies too."""


def perplexity(negative_log_likelihood: float, *, tokens: int, words: int) -> Perplexity:
    r"""Perplexity out of a sum over the text.

    .. math:: e^{-\frac{1}{N} \sum_n \ln p_n}

    Args:
        negative_log_likelihood: :math:`-\sum \ln p` over all tokens, natural logarithm.
        tokens: how many were summed, each ``eos`` included.
        words: of the text, each end of a sentence counted as one.

    Raises:
        RangeError: no token or no word.
    """
    if tokens < 1 or words < 1:
        raise RangeError(f"perplexity needs a token and a word, got {tokens} and {words}")
    return Perplexity(*[_exp(negative_log_likelihood / count) for count in (tokens, words)])


def _exp(value: float) -> float:
    """e to the power of ``value``; infinity beyond what a float can hold."""
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf
