"""A reader of passages: it answers with a span."""

import torch
from torch import nn

from regard.types import Float, Int, Tensor

from ..text.config import PoolingConfig
from ..text.dropout import WholeDropout
from ..text.encoder import TextEncoder
from ..text.encoders import encoder
from ..text.pooling import pooling
from .matching import Aligned, matching
from .passages import FEATURES, Passages
from .pointers import Ends, Pointers
from .span_config import SpanReaderConfig


class SpanReader(nn.Module):
    r"""Where the answer to a question begins and ends in a passage.

    .. math::
        h &= \text{text}(p), \quad u = \text{text}(q), \quad g = \text{match}(h, u) \\
        m &= \text{modelling}(\text{relu}(W [g; f; \text{aligned}])), \quad
        p(b, e) = p^b(b \mid m, u)\, p^e(e \mid m, u, b)

    The parts of Seo et al. 2017 (https://arxiv.org/abs/1611.01603) with the features of Chen et al.
    2017 (https://arxiv.org/abs/1704.00051): f tells of each word of the passage what the question
    makes of it. Passage and question are read by the same encoder, and a passage once, however many
    questions are about it.

    Args:
        config: sizes, encoders, matching.
    """

    def __init__(self, config: SpanReaderConfig) -> None:
        super().__init__()
        self.config = config
        self.text = TextEncoder(config)
        width, own = self.text.output_dim, config.embedding.dim
        self.matching = matching(config.matching, width)
        self.aligned = Aligned(own) if config.aligned else None
        joined = self.matching.output_dim + len(FEATURES) * config.featured + own * config.aligned
        self.joined_proj = nn.Linear(joined, width)
        self.modelling = encoder(config.modelling, width)
        self.question_pooling = pooling(PoolingConfig(kind="attention"), self.text.encoder)
        self.pointers = Pointers(self.modelling.output_dim, width)
        self.dropout = WholeDropout(config.dropout)

    def forward(self, read: Passages) -> Ends:
        """Log-probabilities of both ends, for every question."""
        passage = self.text(read.passages, read.passage_lengths, read.passage_spelling)
        question = self.text(read.questions, read.question_lengths, read.question_spelling)
        passage = self.dropout(passage)[read.about]  # (B, N, D)
        lengths = read.lengths
        matched = self.matching(passage, lengths, self.dropout(question), read.question_lengths)
        joined = torch.cat([matched, *self._told(read)], dim=-1)
        narrow = torch.relu(self.joined_proj(joined))  # (B, N, D)
        modelled = self.dropout(self.modelling(self.dropout(narrow), lengths))
        asked = self.question_pooling(question, read.question_lengths)  # (B, D)
        return self.pointers(modelled, lengths, asked)

    def blocks(self) -> list[nn.Module]:
        """Those of the encoders."""
        return [*self.text.encoder.blocks(), *self.modelling.blocks()]

    def _told(self, read: Passages) -> list[Tensor]:
        """Features, and the words of the question that are like each of the passage."""
        told = [read.features] if self.config.featured else []
        if self.aligned is None:
            return told
        table = self.text.embedding.table
        passage: Float[Tensor, "B N D"] = table(read.passages)[read.about]
        lengths: Int[Tensor, " B"] = read.question_lengths
        return [*told, self.aligned(passage, table(read.questions), lengths)]
