"""The readout of a recurrent decoder: state, context and last token before the output layer."""

import torch
from torch import nn

from regard.types import Float, Tensor


class Maxout(nn.Module):
    r"""The larger of each pair of features.

    .. math:: \tilde t = U [x_1; x_2; \dots] + b, \quad t_j = \max(\tilde t_{2j-1}, \tilde t_{2j})

    Goodfellow et al. 2013 (https://arxiv.org/abs/1302.4389), as the deep output of Bahdanau et al.
    2014, appendix A.2.2 (https://arxiv.org/abs/1409.0473).

    Args:
        input_dim: width of all inputs together.
        output_dim: number of pairs.
    """

    def __init__(self, input_dim: int, output_dim: int) -> None:
        super().__init__()
        self.proj = nn.Linear(input_dim, 2 * output_dim)

    def forward(self, *parts: Float[Tensor, "*B _"]) -> Float[Tensor, "*B M"]:
        """The features."""
        pairs = self.proj(torch.cat(parts, dim=-1))  # (*B, 2M)
        return torch.maximum(pairs[..., 0::2], pairs[..., 1::2])


class TanhReadout(nn.Module):
    r"""One hidden layer.

    .. math:: t = \tanh(W [x_1; x_2; \dots] + b)

    Args:
        input_dim: width of all inputs together.
        output_dim: width of the features.
    """

    def __init__(self, input_dim: int, output_dim: int) -> None:
        super().__init__()
        self.proj = nn.Linear(input_dim, output_dim)

    def forward(self, *parts: Float[Tensor, "*B _"]) -> Float[Tensor, "*B M"]:
        """The features."""
        return torch.tanh(self.proj(torch.cat(parts, dim=-1)))
