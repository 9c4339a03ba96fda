"""Length and coverage penalties: scores of hypotheses of different lengths, comparable."""

from typing import Any, Literal

import numpy as np

from regard.types import Float, Int

from .top_k import Array

LengthNormalisation = Literal["gnmt", "length"]
"""By Wu et al. 2016, or by a power of the length itself."""


def length_penalty(length: Any, alpha: float, normalisation: LengthNormalisation = "gnmt") -> Any:
    r"""What the logarithm of a probability is divided by.

    .. math:: lp(Y) = \frac{(5 + |Y|)^\alpha}{(5 + 1)^\alpha} \;(gnmt), \quad
              |Y|^\alpha \;(length)

    Wu et al. 2016, Eq. 14 (https://arxiv.org/abs/1609.08144); with α = 1 the second is the mean of
    Cho et al. 2014 (https://arxiv.org/abs/1409.1259). The end of the sentence is counted.

    Args:
        length: tokens, of one sentence or of several.
        alpha: 0 ranks by probability; more likes longer sentences.
        normalisation: which of the two.
    """
    return (((5 + length) / 6) if normalisation == "gnmt" else 1.0 * length) ** alpha


def coverage_penalty(
    looks: Float[Array, "R S"], source_lengths: Int[Array, " R"], beta: float
) -> Float[Array, " R"]:
    r"""What is added where a part of the source was not looked at.

    .. math:: cp(X; Y) = \beta \sum_i \log \min\Bigl(\sum_j p_{ij}, 1\Bigr)

    Wu et al. 2016, Eq. 14 (https://arxiv.org/abs/1609.08144). Differs from the paper: a token
    that was not looked at at all counts with the smallest normal number, not with -∞, so that
    hypotheses stay comparable.

    Args:
        looks: the weights of all steps together, p summed over j.
        source_lengths: tokens of each source; what is behind them does not count.
        beta: how much it counts.
    """
    inside = np.arange(looks.shape[1]) < source_lengths[:, None]
    logs = np.log(looks.clip(np.finfo(looks.dtype).tiny, 1))
    return beta * np.where(inside, logs, 0).sum(axis=-1)


def bound(
    log_probs: Float[Array, " B"],
    shortest: int,
    longest: Int[Array, " B"],
    alpha: float,
    normalisation: LengthNormalisation = "gnmt",
) -> Float[Array, " B"]:
    """The best score that hypotheses which go on from these can end with.

    Every further token can only lower the probability, and the coverage penalty is never above
    zero. What is left is L / lp(n) with L ≤ 0: it rises with the length n if α > 0 and falls if
    α < 0, so it is highest at one of the two ends.

    Args:
        log_probs: L, of what is written so far.
        shortest: length of the next sentence that can end.
        longest: length of the last.
        alpha: of the length penalty.
        normalisation: which length penalty.
    """
    ends = (length_penalty(length, alpha, normalisation) for length in (shortest, longest))
    return np.maximum(*(log_probs / end for end in ends))
