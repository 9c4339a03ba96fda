"""Attention with linear biases, as a module."""

from torch import nn

from regard.functional import scores
from regard.mechanism import mechanism


@mechanism(
    "ALiBi",
    family="positions",
    equation="+ −m_h |q − k|",
    cost="O(1) per pair, fused if causal",
    paper=("Press 2022", "https://arxiv.org/abs/2108.12409"),
)
class Alibi(nn.Module):
    r"""A penalty that grows with the distance, at another rate in every head; nothing is learned.

    .. math:: b_{hqk} = -m_h \, |q - k|

    Press et al. 2022, section 3 (https://arxiv.org/abs/2108.12409); the score is
    :class:`regard.scores.Alibi`. Any distance has its penalty, so sequences may be longer than
    those of training.

    Args:
        num_heads: H, heads of the attention.
    """

    def __init__(self, num_heads: int) -> None:
        super().__init__()
        _ = scores.Alibi(num_heads)
        self.num_heads = num_heads

    def term(self, start: int = 0) -> scores.Score:
        """What is added to the content score, for queries that begin at ``start``."""
        return scores.Alibi(self.num_heads).shifted(start)

    def extra_repr(self) -> str:
        """Heads."""
        return f"{self.num_heads}"
