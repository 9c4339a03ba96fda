"""A convolutional encoder."""

from typing import NamedTuple

import torch
from torch import nn

from regard.types import Bool, Float, Int, Tensor

from .blocks import HALF, GatedConvolution, Map, faded


class Encoded(NamedTuple):
    """A source, ready to be attended to."""

    keys: Float[Tensor, "B S M"]
    """What attention compares with: z."""
    values: Float[Tensor, "B S M"]
    """What it pools: z with the embeddings, so that a word is seen beside its context."""


class ConvEncoder(nn.Module):
    r"""A stack of gated convolutions, each with a path around it.

    .. math:: h^{l} = (\text{GLU}(W^l * h^{l-1}) + h^{l-1}) \sqrt{0.5}, \quad z = W h^L + b, \quad
              \text{values} = (z + e) \sqrt{0.5}

    Gehring et al. 2017, section 3.2 (https://arxiv.org/abs/1705.03122). A state sees
    ``layers · (kernel − 1)/2`` tokens on either side, whatever the length of the sentence. O(S)
    time, with no step that waits for another.

    Args:
        embedding_dim: width of what comes in and goes out.
        hidden_dim: width of the stack.
        layers: how many convolutions.
        kernel: positions that one of them sees.
        dropout: probability with which a feature of a convolution's input is dropped in training.
    """

    def __init__(
        self, *, embedding_dim: int, hidden_dim: int, layers: int, kernel: int, dropout: float
    ) -> None:
        super().__init__()
        self.input_proj = Map(embedding_dim, hidden_dim, dropout=dropout)
        self.layers = nn.ModuleList(
            GatedConvolution(hidden_dim, kernel=kernel, before=kernel // 2, dropout=dropout)
            for _ in range(layers)
        )
        self.output_proj = Map(hidden_dim, embedding_dim)

    def forward(
        self,
        embedded: Float[Tensor, "B S M"],
        lengths: Int[Tensor, " B"],
        *,
        gradient: float = 1.0,
    ) -> Encoded:
        """States of every token; those of padding are seen by none of the others.

        Args:
            embedded: the source's embeddings with their positions.
            lengths: tokens of each sentence.
            gradient: factor of the gradient into the stack.
        """
        real = _before(lengths, embedded.shape[1])
        x = self.input_proj(embedded)
        for layer in self.layers:
            x = x.masked_fill(~real, 0.0)
            x = (layer(x) + x) * HALF
        keys = faded(self.output_proj(x), gradient)
        return Encoded(keys, (keys + embedded) * HALF)


def _before(lengths: Int[Tensor, " B"], width: int) -> Bool[Tensor, "B S 1"]:
    """Which positions are tokens."""
    places = torch.arange(width, device=lengths.device)
    return (places < lengths.unsqueeze(-1)).unsqueeze(-1)
