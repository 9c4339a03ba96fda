"""What reads the source: layers of cells, in one direction or in both."""

from typing import Any

import torch
from torch import nn

from regard.cells import GRU, LSTM, RNN, Bidirectional, Recurrent, StackState
from regard.cells.base import Cell, State
from regard.cells.lengths import checked_lengths, length_mask, reverse_sequences, zero_padding
from regard.cells.recurrent import BothStates
from regard.errors import ShapeError
from regard.types import Float, Int, Tensor

from ..choices import CellName, Directions
from ..dropout import Dropout
from ..widths import fed_widths
from .fast.gru_layer import gru_outputs, runs_compiled


def new_cell(name: CellName, input_dim: int, hidden_dim: int) -> Cell[Any]:
    """A cell that runs fused: the GRU resets after its matrix, an LSTM begins by remembering."""
    if name == "lstm":
        return LSTM(input_dim, hidden_dim, forget_bias=1.0)
    if name == "gru":
        return GRU(input_dim, hidden_dim, reset="after")
    return RNN(input_dim, hidden_dim)


class Encoder(nn.Module):
    """Layers of one cell over a sequence of vectors.

    In both directions every layer has two cells of half the width, so that outputs and last states
    are as wide as those of one direction and fit a decoder of the same width.

    Args:
        cell: which cell.
        input_dim: width of the vectors.
        hidden_dim: width of the outputs.
        num_layers: how many layers.
        directions: ``"right"`` or ``"both"``.
        dropout: probability with which an input of a layer above the first is dropped.
    """

    def __init__(
        self,
        cell: CellName,
        *,
        input_dim: int,
        hidden_dim: int,
        num_layers: int = 1,
        directions: Directions = "right",
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if directions == "both" and hidden_dim % 2:
            raise ShapeError(
                f"an encoder that reads both ways needs an even hidden_dim, got {hidden_dim}"
            )
        widths = fed_widths(input_dim, hidden_dim, num_layers)
        self.layers = nn.ModuleList(_layer(cell, width, hidden_dim, directions) for width in widths)
        self.hidden_dim, self.dropout = hidden_dim, Dropout(dropout)

    def forward(
        self, x: Float[Tensor, "B S D"], lengths: Int[Tensor, " B"]
    ) -> tuple[Float[Tensor, "B S H"], StackState]:
        """All outputs of the highest layer, zero beyond the lengths, and all last states."""
        states: list[State] = []
        for number, layer in enumerate(self.layers):
            fed = self.dropout(x) if number else x
            x, state = layer(fed, lengths=lengths)
            states.append(side_by_side(state) if isinstance(state, BothStates) else state)
        return x, StackState(tuple(states))


def both_ways(
    layer: Bidirectional, x: Float[Tensor, "B S D"], lengths: Int[Tensor, " B"]
) -> tuple[Float[Tensor, "B S HH"], Float[Tensor, "B H"]]:
    """The outputs of both directions, and the last of the leftward one.

    The same numbers as ``layer(x, lengths=lengths)``, at less cost: what stands behind a sequence
    has no influence on it, so padding is read along instead of being packed away, for which torch's
    kernel on a CPU pays in the backward pass.
    """
    lengths = checked_lengths(lengths, x)
    cells = layer.rightward.cell, layer.leftward.cell
    if runs_compiled(cells[0], x) and runs_compiled(cells[1], x):
        active = length_mask(lengths, x.shape[1]).T.contiguous()
        right = gru_outputs(cells[0], x.transpose(0, 1), active)  # (S, B, H)
        left = gru_outputs(cells[1], x.transpose(0, 1), active, leftward=True)
        return torch.cat([right, left], dim=-1).transpose(0, 1).contiguous(), left[0]
    right, _ = layer.rightward(x)
    left, _ = layer.leftward(reverse_sequences(x, lengths))
    left = reverse_sequences(left, lengths)
    both = zero_padding(torch.cat([right, left], dim=-1), lengths)
    return both, both[:, 0, right.shape[-1] :]  # where the leftward one ended


def side_by_side(both: BothStates) -> State:
    """Two states as one of the width of both."""
    right, left = both
    assert isinstance(right, tuple) and isinstance(left, tuple)
    return type(right)(*(torch.cat(parts, dim=-1) for parts in zip(right, left, strict=True)))


def _layer(cell: CellName, input_dim: int, hidden_dim: int, directions: Directions) -> nn.Module:
    if directions == "right":
        return Recurrent(new_cell(cell, input_dim, hidden_dim))
    half = hidden_dim // 2
    return Bidirectional(new_cell(cell, input_dim, half), new_cell(cell, input_dim, half))
