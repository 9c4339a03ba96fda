"""How a question and a passage meet: three ways behind one contract."""

from abc import abstractmethod

import torch
from torch import nn

from regard.cells import LSTMN, DeepFusion, Recurrent
from regard.cells.lengths import length_mask, zero_padding
from regard.functional.events import Observable, StoredWeights
from regard.functional.masks import padding
from regard.functional.weigh import weigh
from regard.nn import MultiHeadAttention
from regard.registry import Registry
from regard.types import Float, Int, Tensor

from ..dropout import Dropout
from .span_config import CrossConfig, FlowConfig, FusionConfig, MatchingConfig


class Matching(nn.Module):
    """The passage as a question sees it.

    Args:
        dim: width of the features of both.
    """

    output_dim: int

    @abstractmethod
    def forward(
        self,
        passage: Float[Tensor, "B N D"],
        lengths: Int[Tensor, " B"],
        question: Float[Tensor, "B J D"],
        question_lengths: Int[Tensor, " B"],
    ) -> Float[Tensor, "B N G"]:
        """Features of the passage; those behind its end are of no use."""


class PassageLooks(Observable):
    """Tells how much each word of the passage looked at each of the question, (B, N, J)."""


class QuestionLooks(Observable):
    """Tells how much the whole question looked at each word of the passage, (B, 1, N)."""


class Flow(Matching):
    r"""Bidirectional attention flow: both look at each other, and nothing is summed up early.

    .. math::
        S_{tj} &= w^\top [h_t; u_j; h_t \odot u_j], \quad
        a_t = \text{softmax}_j(S_{tj}), \quad \tilde u_t = \sum_j a_{tj} u_j \\
        b &= \text{softmax}_t(\max_j S_{tj}), \quad \tilde h = \sum_t b_t h_t, \quad
        g_t = [h_t; \tilde u_t; h_t \odot \tilde u_t; h_t \odot \tilde h]

    Seo et al. 2017, Eq. 1 to 4 (https://arxiv.org/abs/1611.01603). Seen by ``regard.lens.capture``
    as ``to_question`` (a) and ``to_passage`` (b). O(N J D).

    Args:
        dim: D, width of the features of passage and question.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.output_dim = 4 * dim
        self.w_passage, self.w_question = (
            nn.Linear(dim, 1, bias=False),
            nn.Linear(dim, 1, bias=False),
        )
        self.w_both = nn.Parameter(torch.empty(dim).uniform_(-(dim**-0.5), dim**-0.5))
        self.to_question, self.to_passage = PassageLooks(), QuestionLooks()

    def forward(
        self,
        passage: Float[Tensor, "B N D"],
        lengths: Int[Tensor, " B"],
        question: Float[Tensor, "B J D"],
        question_lengths: Int[Tensor, " B"],
    ) -> Float[Tensor, "B N G"]:
        """[h; ũ; h ⊙ ũ; h ⊙ h̃]."""
        scores = self.scores(passage, question)  # (B, N, J)
        there = length_mask(question_lengths, question.shape[1]).unsqueeze(1)  # (B, 1, J)
        scores = scores.masked_fill(~there, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1)
        best = scores.amax(dim=-1)  # (B, N)
        real = length_mask(lengths, passage.shape[1])
        told = best.masked_fill(~real, torch.finfo(best.dtype).min).softmax(dim=-1).unsqueeze(1)
        if self.to_question.watchers:
            self.to_question.notify(StoredWeights(weights.detach()))
        if self.to_passage.watchers:
            self.to_passage.notify(StoredWeights(told.detach()))
        aligned, whole = weights @ question, told @ passage  # (B, N, D), (B, 1, D)
        return torch.cat([passage, aligned, passage * aligned, passage * whole], dim=-1)

    def scores(
        self, passage: Float[Tensor, "B N D"], question: Float[Tensor, "B J D"]
    ) -> Float[Tensor, "B N J"]:
        """S, of which the product is one of matrices: w is split in three."""
        both = (passage * self.w_both) @ question.mT
        return both + self.w_passage(passage) + self.w_question(question).mT


class CrossLayer(nn.Module):
    r"""A layer in which the passage looks at the question.

    .. math:: x \leftarrow x + \text{attend}(\text{norm}(x), u, u), \quad
              x \leftarrow x + W_2\, \text{relu}(W_1\, \text{norm}(x))

    Vaswani et al. 2017, section 3.2.3 (https://arxiv.org/abs/1706.03762), normalised before each
    part.

    Args:
        dim: width of both.
        config: heads and widths.
    """

    def __init__(self, dim: int, config: CrossConfig) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(dim, config.num_heads)
        self.first_norm, self.second_norm = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.hidden, self.output = (
            nn.Linear(dim, config.hidden_dim),
            nn.Linear(config.hidden_dim, dim),
        )
        self.dropout = Dropout(0.1)

    def forward(
        self,
        x: Float[Tensor, "B N D"],
        question: Float[Tensor, "B J D"],
        question_lengths: Int[Tensor, " B"],
    ) -> Float[Tensor, "B N D"]:
        """x, having looked."""
        mask = padding(question_lengths)
        seen = self.attention(self.first_norm(x), question, mask=mask)
        x = x + self.dropout(seen)
        return x + self.dropout(self.output(torch.relu(self.hidden(self.second_norm(x)))))


class Cross(Matching):
    """Layers of cross-attention; seen by ``regard.lens.capture`` as ``layers.0.attention`` …

    Args:
        dim: width of the features of passage and question.
        config: heads, layers and widths.
    """

    def __init__(self, dim: int, config: CrossConfig) -> None:
        super().__init__()
        self.output_dim = 2 * dim
        self.layers = nn.ModuleList(CrossLayer(dim, config) for _ in range(config.num_layers))

    def forward(
        self,
        passage: Float[Tensor, "B N D"],
        lengths: Int[Tensor, " B"],
        question: Float[Tensor, "B J D"],
        question_lengths: Int[Tensor, " B"],
    ) -> Float[Tensor, "B N G"]:
        """The passage, and what it is once it has looked."""
        x = passage
        for layer in self.layers:
            x = layer(x, question, question_lengths)
        return torch.cat([passage, x], dim=-1)


class Fusion(Matching):
    """An LSTMN reads the question, a second one the passage, with the first one's tape as source.

    Deep fusion of Cheng et al. 2016, section 4 (https://arxiv.org/abs/1601.06733):
    :class:`regard.cells.DeepFusion`. Seen by ``regard.lens.capture`` as ``cell.inter``, a look for
    every word of the passage. O(N² A) for a passage of N words, step by step.

    Args:
        dim: width of the features of passage and question.
        config: widths.
    """

    def __init__(self, dim: int, config: FusionConfig) -> None:
        super().__init__()
        hidden, attention = config.hidden_dim, config.attention_dim
        self.output_dim = dim + hidden
        self.questions = LSTMN(dim, hidden, attention_dim=attention)
        self.cell = DeepFusion(dim, hidden, attention_dim=attention)

    def forward(
        self,
        passage: Float[Tensor, "B N D"],
        lengths: Int[Tensor, " B"],
        question: Float[Tensor, "B J D"],
        question_lengths: Int[Tensor, " B"],
    ) -> Float[Tensor, "B N G"]:
        """The passage, and the states of who read it with the question in mind."""
        _, read = Recurrent(self.questions)(question, lengths=question_lengths)
        allowed = length_mask(question_lengths, question.shape[1])
        source = self.cell.read(read.tape.hidden, read.tape.memory, allowed)
        start = self.cell.start(len(passage), source=source)
        states, _ = Recurrent(self.cell)(passage, start, lengths=lengths)
        return torch.cat([passage, zero_padding(states, lengths)], dim=-1)


class Aligned(Observable):
    r"""The words of the question that are most like each word of the passage.

    .. math:: f_t = \sum_j a_{tj} E(q_j), \quad
              a_{tj} = \text{softmax}_j \,
              \text{relu}(W E(p_t))^\top \text{relu}(W E(q_j)) / \sqrt{D}

    Chen et al. 2017, section 3.2 (https://arxiv.org/abs/1704.00051): *aligned question embedding*.
    Differs from the paper: scores are divided by the root of the width.

    Args:
        dim: width of the embeddings.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.proj = nn.Linear(dim, dim)

    def forward(
        self,
        passage: Float[Tensor, "B N D"],
        question: Float[Tensor, "B J D"],
        question_lengths: Int[Tensor, " B"],
    ) -> Float[Tensor, "B N D"]:
        """Words of the question, one mean for each word of the passage."""
        query, key = torch.relu(self.proj(passage)), torch.relu(self.proj(question))
        weights = weigh(query, key, mask=padding(question_lengths))
        if self.watchers:
            self.notify(StoredWeights(weights.detach()))
        return weights @ question


MATCHINGS: Registry[type[Matching]] = Registry("matching")
MATCHINGS.add("flow", Flow)
MATCHINGS.add("cross", Cross)
MATCHINGS.add("fusion", Fusion)


def matching(config: MatchingConfig, dim: int) -> Matching:
    """The matching of a config, for features of this width."""
    if isinstance(config, FlowConfig):
        return Flow(dim)
    return Cross(dim, config) if isinstance(config, CrossConfig) else Fusion(dim, config)
