"""Stacked attention: a question looks at a picture again and again, each time knowing more."""

from typing import Annotated, Literal

import torch
from pydantic import Field
from torch import nn

from regard.functional import scores
from regard.nn import StepAttention
from regard.nn.base import uniform
from regard.types import Int, Tensor

from ..config import Size
from ..dropout import Dropout
from .regions import Boxes
from .vqa import Answered, Answerer, AnswererConfig, QuestionReader


class StackedAttentionConfig(AnswererConfig):
    """Yang et al. 2016 (https://arxiv.org/abs/1511.02274)."""

    kind: Literal["stacked-attention"] = "stacked-attention"
    model_dim: Size = 256
    """d, width of regions and of the question."""
    attention_dim: Size = 256
    """k, width of the hidden layer that scores regions."""
    hops: Annotated[int, Field(ge=0)] = 2
    """How often the question looks; at 0 it sees the mean of all regions."""


class Hop(StepAttention):
    r"""One look of what is asked at the regions.

    .. math:: h_A = \tanh(W_{I,A} v_I \oplus (W_{Q,A} u + b_A)), \quad
              p = \text{softmax}(W_P h_A)

    Yang et al. 2016, Eq. 15 and 16 (https://arxiv.org/abs/1511.02274). Theirs → ours: W_{I,A} →
    ``key_proj``, W_{Q,A} and b_A → ``query_proj``, W_P → ``v``; b_P moves no weight and is not
    there.

    Args:
        width: of regions and of what is asked.
        hidden_dim: k.
    """

    def __init__(self, width: int, hidden_dim: int) -> None:
        super().__init__()
        self.query_dim = self.key_dim = width
        self.query_proj = nn.Linear(width, hidden_dim)
        self.key_proj = nn.Linear(width, hidden_dim, bias=False)
        self.v = uniform(hidden_dim, fan_in=hidden_dim)

    def score(self) -> scores.Additive:
        """W_P tanh of the sum."""
        return scores.Additive(self.v)


class StackedAttention(Answerer):
    r"""A question that takes in what it sees, look after look.

    .. math::
        u^0 &= v_Q, \quad \tilde v^k = \textstyle\sum_i p_i^k v_i, \quad
        u^k = \tilde v^k + u^{k-1} \\
        o &= W_u u^K + b_u

    Yang et al. 2016, section 3.3 (https://arxiv.org/abs/1511.02274). Theirs → ours: v_Q →
    ``question``, v_I → ``regions``, the looks → ``looks``, W_u → ``output``. Differs from the
    paper: the question is read by a GRU, theirs by an LSTM or a CNN.
    """

    config: StackedAttentionConfig

    def __init__(self, config: StackedAttentionConfig) -> None:
        super().__init__()
        self.config = config
        width = config.model_dim
        self.regions = self.regions_of(config, width)
        self.question = QuestionReader(config, width)
        self.looks = nn.ModuleList(Hop(width, config.attention_dim) for _ in range(config.hops))
        self.dropout = Dropout(config.dropout)
        self.output = nn.Linear(width, config.answers)

    def answer(
        self,
        pictures: Tensor,
        questions: Int[Tensor, "B T"],
        lengths: Int[Tensor, " B"],
        boxes: Boxes | None = None,
        owners: Int[Tensor, " B"] | None = None,
    ) -> Answered:
        """Logits of all answers, and how much each region counted in every look."""
        seen = self.regions(pictures, boxes).of(owners)
        asked, hops = self.question(questions, lengths), []  # (B, M)
        for look in self.looks:
            ready = look.prepare(seen.features, seen.allowed)  # type: ignore[operator]
            context, weights = look(asked, ready)
            asked = asked + context
            hops.append(weights)
        if not hops:
            asked = asked + seen.mean()
        logits = self.output(self.dropout(asked))
        return Answered(logits, torch.stack(hops, dim=1) if hops else None)
