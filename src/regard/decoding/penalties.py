"""What makes hypotheses of different lengths comparable."""

import torch

from regard.types import Float, Int, Tensor


def length_penalty(length: int, alpha: float) -> float:
    r"""What the logarithm of a probability is divided by.

    .. math:: lp(Y) = \frac{(5 + |Y|)^\alpha}{(5 + 1)^\alpha}

    Wu et al. 2016, Eq. 14 (https://arxiv.org/abs/1609.08144). The end of the sentence is counted.

    Args:
        length: tokens.
        alpha: 0 ranks by probability; more likes longer sentences.
    """
    return ((5 + length) / 6) ** alpha


def coverage_penalty(
    looks: Float[Tensor, "R S"], source_lengths: Int[Tensor, " R"], beta: float
) -> Float[Tensor, " R"]:
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
    columns = torch.arange(looks.shape[1], device=looks.device)
    tiny = torch.finfo(looks.dtype).tiny
    logs = looks.clamp(min=tiny, max=1).log()
    inside = columns < source_lengths.unsqueeze(-1)
    return beta * torch.where(inside, logs, 0).sum(dim=-1)


def bound(
    log_probs: Float[Tensor, "B G"],
    shortest: Float[Tensor, "B G"],
    longest: Float[Tensor, "B 1"],
    alpha: float,
) -> Float[Tensor, "B G"]:
    """The best score that hypotheses which go on from these can end with.

    Every further token can only lower the probability, and the coverage penalty is never above
    zero. What is left is L / lp(n) with L ≤ 0: it rises with the length n if α > 0 and falls if
    α < 0, so it is highest at one of the two ends.

    Args:
        log_probs: L, of what is written so far.
        shortest: length of the next sentence that can end.
        longest: length of the last.
        alpha: of the length penalty.
    """
    return torch.maximum(
        log_probs / ((5 + shortest) / 6) ** alpha, log_probs / ((5 + longest) / 6) ** alpha
    )
