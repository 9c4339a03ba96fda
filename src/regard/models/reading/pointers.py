"""Pointers: where an answer begins and ends, and the best span of both."""

from typing import NamedTuple

import torch
from torch import nn
from torch.nn.functional import pad

from regard.cells.lengths import length_mask
from regard.types import Float, Int, Tensor


class Ends(NamedTuple):
    """Scores of where an answer begins and ends; places behind the passage have none."""

    begin: Float[Tensor, "B N"]
    """Before the softmax."""
    end: Float[Tensor, "B N"]


class Pointers(nn.Module):
    r"""Two distributions over the words of a passage, the second knowing the first.

    .. math::
        p^b_t &= \text{softmax}_t(m_t^\top W_b s), \quad c = \sum_t p^b_t m_t, \quad
        s' = \text{GRU}(c, s) \\
        p^e_t &= \text{softmax}_t(m_t^\top W_e s')

    Pointer networks (Vinyals et al. 2015, https://arxiv.org/abs/1506.03134) as the boundary model
    of Wang and Jiang 2017, section 2.3 (https://arxiv.org/abs/1608.07905), with the bilinear score
    of Chen et al. 2017, section 3.2 (https://arxiv.org/abs/1704.00051).

    Args:
        dim: width of m.
        question_dim: width of s, the question in one vector.
    """

    def __init__(self, dim: int, question_dim: int) -> None:
        super().__init__()
        self.begin, self.end = nn.Linear(question_dim, dim), nn.Linear(question_dim, dim)
        self.step = nn.GRUCell(dim, question_dim)

    def forward(
        self,
        passage: Float[Tensor, "B N D"],
        lengths: Int[Tensor, " B"],
        question: Float[Tensor, "B Q"],
    ) -> Ends:
        """Scores of both ends."""
        real = length_mask(lengths, passage.shape[1])
        begin = _pointed(passage, self.begin(question), real)
        weights = begin.softmax(dim=-1).to(passage.dtype)
        context = (weights.unsqueeze(1) @ passage).squeeze(1)  # (B, D)
        after = self.step(context, question)
        return Ends(begin, _pointed(passage, self.end(after), real))


def _pointed(
    passage: Float[Tensor, "B N D"], query: Float[Tensor, "B D"], real: Tensor
) -> Float[Tensor, "B N"]:
    scores = (passage @ query.to(passage.dtype).unsqueeze(-1)).squeeze(-1)
    scores = scores.to(torch.promote_types(scores.dtype, torch.float32))
    return scores.masked_fill(~real, -torch.inf)


class Spans(NamedTuple):
    """The best spans of every passage, the best first."""

    begins: Int[Tensor, "B K"]
    ends: Int[Tensor, "B K"]
    """Their last words."""
    scores: Float[Tensor, "B K"]
    """Sums of both scores; −∞ where there are fewer spans."""


def best_spans(ends: Ends, *, longest: int, count: int = 1) -> Spans:
    r"""The likeliest spans, :math:`\arg\max_{b \le e < b + L} s^b_b + s^e_e`. O(N L).

    Args:
        ends: scores of both ends.
        longest: L, words of a span at most.
        count: how many.
    """
    width = ends.begin.shape[1]
    longest = min(longest, width)
    later = pad(ends.end, (0, longest - 1), value=-torch.inf).unfold(1, longest, 1)  # (B, N, L)
    flat = (ends.begin.unsqueeze(2) + later).flatten(1)  # (B, N L)
    scores, where = flat.topk(min(count, flat.shape[1]), dim=-1)
    begins = where // longest
    return Spans(begins, (begins + where % longest).clamp(max=width - 1), scores)
