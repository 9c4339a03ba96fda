"""The encoder of GNMT: the first layer reads both ways."""

from torch import nn

from regard.cells import LSTM, Bidirectional, Recurrent, Stack, StackState
from regard.cells.lengths import zero_padding
from regard.types import Float, Int, Tensor

from ..dropout import Dropout
from ..widths import fed_widths
from .encoder import both_ways


class GNMTEncoder(nn.Module):
    r"""One LSTM layer in both directions, then layers to the right, with residual connections.

    Wu et al. 2016, sections 3.1 and 3.2 (https://arxiv.org/abs/1609.08144).

    Args:
        input_dim: width of the embeddings.
        hidden_dim: width of every LSTM.
        num_layers: how many layers, the first included.
        residual_from: the first layer, counted from 1, whose input is added to its output.
        dropout: probability with which an input of a layer above the first is dropped.
    """

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        *,
        num_layers: int,
        residual_from: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        first, back = (LSTM(input_dim, hidden_dim, forget_bias=1.0) for _ in range(2))
        self.first = Bidirectional(first, back)
        self.higher: Recurrent[StackState] | None = None
        self.dropout = Dropout(dropout)
        if num_layers > 1:
            widths = fed_widths(2 * hidden_dim, hidden_dim, num_layers - 1)
            cells = [LSTM(width, hidden_dim, forget_bias=1.0) for width in widths]
            residual = residual_from - 1 if residual_from <= num_layers else None
            self.higher = Recurrent(Stack(cells, residual_from=residual, dropout=dropout))
        self.output_dim = 2 * hidden_dim if num_layers == 1 else hidden_dim

    def forward(
        self, x: Float[Tensor, "B S D"], lengths: Int[Tensor, " B"]
    ) -> Float[Tensor, "B S H"]:
        """All outputs of the highest layer, zero beyond the lengths."""
        outputs, _ = both_ways(self.first, x, lengths)
        if self.higher is None:
            return outputs
        return zero_padding(self.higher(self.dropout(outputs))[0], lengths)
