"""Gated convolutions over sequences, and how they begin."""

import math

import torch
from torch import nn
from torch.nn.functional import glu, pad

from regard.types import Float, Tensor

from ..dropout import Dropout

HALF = math.sqrt(0.5)
"""What a sum of two parts is multiplied with, so that its variance stays theirs."""


class Map(nn.Linear):
    r"""A linear map of what was dropped from: normal with variance (1 − p)/n, n inputs.

    Gehring et al. 2017, section 3.5 (https://arxiv.org/abs/1705.03122). Biases begin at zero.

    Args:
        inputs: width of the input.
        outputs: width of the output.
        dropout: p, of the input, which is dropped elsewhere.
    """

    def __init__(self, inputs: int, outputs: int, *, dropout: float = 0.0) -> None:
        super().__init__(inputs, outputs)
        nn.init.normal_(self.weight, std=math.sqrt((1 - dropout) / inputs))
        nn.init.zeros_(self.bias)


class GatedConvolution(nn.Module):
    r"""A convolution whose second half of channels gates the first.

    .. math:: y_t = a_t \odot \sigma(b_t), \quad [a_t; b_t] = \beta + \sum_{i<k} W_i x_{t+i-o}

    Gehring et al. 2017, section 3.2 (https://arxiv.org/abs/1705.03122). o = ``before`` positions
    lie before the current one, k − 1 − o behind it; beyond the ends there are zeros. Begins normal
    with variance 4(1 − p)/n, which the gate takes back to that of the input.

    Differs from the paper: weights are not normalised.

    Args:
        width: channels of the input and of the output.
        kernel: k, positions that are seen.
        before: how many of them lie before the current one.
        dropout: p, with which a feature of the input is dropped in training.
    """

    def __init__(self, width: int, *, kernel: int, before: int, dropout: float) -> None:
        super().__init__()
        self.before, self.after = before, kernel - 1 - before
        self.dropout = Dropout(dropout)
        self.convolution = nn.Conv1d(width, 2 * width, kernel)
        std = math.sqrt(4 * (1 - dropout) / (width * kernel))
        nn.init.normal_(self.convolution.weight, std=std)
        bias = self.convolution.bias
        assert bias is not None
        nn.init.zeros_(bias)

    def forward(self, x: Float[Tensor, "B N C"]) -> Float[Tensor, "B N C"]:
        """One output per position."""
        return self.inside(pad(self.dropout(x), (0, 0, self.before, self.after)))

    def inside(self, x: Float[Tensor, "B W C"]) -> Float[Tensor, "B N C"]:
        """The outputs of those positions that have all their neighbours in ``x``."""
        return glu(self.convolution(x.mT).mT, dim=-1)


def faded(x: Float[Tensor, "*B M"], factor: float) -> Float[Tensor, "*B M"]:
    """``x`` itself, whose gradient is multiplied with ``factor``."""
    return torch.lerp(x.detach(), x, factor)
