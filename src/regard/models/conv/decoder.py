"""One layer of the convolutional decoder: a gated convolution, then attention."""

from typing import NamedTuple

import torch
from torch import nn

from regard.functional.weigh import weigh
from regard.nn import LuongAttention, Memory
from regard.types import Float, Tensor

from .blocks import HALF, GatedConvolution, Map


class LayerOutput(NamedTuple):
    """States above a layer, and what it looked at the source with."""

    states: Float[Tensor, "B T C"]
    query: Float[Tensor, "B T M"]


class ConvDecoderLayer(nn.Module):
    r"""A causal gated convolution, a look at the source, and a path around both.

    .. math:: h = \text{GLU}(W * x), \quad d = (W_d h + b_d + g) \sqrt{0.5}, \quad
              a = \text{softmax}(d^\top z), \quad c = \sqrt{S} \sum_j a_j v_j
    .. math:: y = ((h + W_c c + b_c) \sqrt{0.5} + x) \sqrt{0.5}

    Gehring et al. 2017, section 3.3 and 3.4 (https://arxiv.org/abs/1705.03122). g is the target's
    embedding, z and v are keys and values of the encoder, S is the number of source tokens: a mean
    of S vectors has 1/√S of their deviation when attention is even.

    Args:
        embedding_dim: M, width of embeddings.
        hidden_dim: C, width of the stack.
        kernel: k, positions that the convolution sees.
        dropout: probability with which a feature of its input is dropped in training.
    """

    def __init__(self, *, embedding_dim: int, hidden_dim: int, kernel: int, dropout: float) -> None:
        super().__init__()
        self.convolution = GatedConvolution(
            hidden_dim, kernel=kernel, before=kernel - 1, dropout=dropout
        )
        self.query_proj = Map(hidden_dim, embedding_dim)
        self.cross = LuongAttention(embedding_dim, embedding_dim, "dot")
        self.context_proj = Map(embedding_dim, hidden_dim)

    def forward(
        self, x: Float[Tensor, "B T C"], embedded: Float[Tensor, "B T M"], memory: Memory
    ) -> LayerOutput:
        """All positions at once.

        Args:
            x: states below.
            embedded: the target's embeddings.
            memory: what the encoder made of the source.
        """
        return self._look(x, self.convolution(x), embedded, memory)

    def step(
        self,
        x: Float[Tensor, "B 1 C"],
        embedded: Float[Tensor, "B 1 M"],
        earlier: Float[Tensor, "B k C"],
        memory: Memory,
    ) -> tuple[LayerOutput, Float[Tensor, "B k C"]]:
        """The next position, and the inputs that the one after it will need.

        Args:
            x: state below.
            embedded: the token's embedding.
            earlier: the k − 1 inputs before it.
            memory: what the encoder made of the source.
        """
        window = torch.cat([earlier, self.convolution.dropout(x)], dim=1)  # (B, k, C)
        looked = self._look(x, self.convolution.inside(window), embedded, memory)
        return looked, window[:, 1:]

    def weights(self, query: Float[Tensor, "B T M"], memory: Memory) -> Float[Tensor, "B T S"]:
        """Where a query looked; differentiable."""
        score = self.cross.score()
        return weigh(query, memory.key, score=score, mask=memory.mask)

    def _look(self, x: Tensor, said: Tensor, embedded: Tensor, memory: Memory) -> LayerOutput:
        query = (self.query_proj(said) + embedded) * HALF  # (B, T, M)
        context = self.cross.contexts(query, memory)  # (B, T, M)
        context = context * memory.lengths().to(context.dtype).sqrt().view(-1, 1, 1)
        said = (said + self.context_proj(context)) * HALF  # (B, T, C)
        return LayerOutput((said + x) * HALF, query)
