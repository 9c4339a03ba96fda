"""Weights of ``torch.nn.RNN``, ``LSTM`` and ``GRU``, in and out."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from regard.errors import ChoiceError
from regard.types import Tensor

from .base import Cell
from .fused import FusedCell
from .gru import GRU
from .lstm import LSTM
from .recurrent import Bidirectional, Recurrent
from .rnn import RNN
from .stack import Stack


def from_torch(module: nn.RNNBase) -> Recurrent[Any] | Bidirectional:
    """A copy of a recurrent module of torch: the same outputs for the same inputs.

    One layer becomes a ``Recurrent(cell)``, more a ``Recurrent(Stack(cells))``, one layer in both
    directions a :class:`Bidirectional`. Inputs are always batch first here.

    Raises:
        ChoiceError: what has no counterpart: projections, relu, several bidirectional layers.
    """
    _require_counterpart(module)
    cells = [_cell(module, suffix) for suffix in _suffixes(module)]
    if module.bidirectional:
        return Bidirectional(cells[0], cells[1])
    single = len(cells) == 1
    return Recurrent(cells[0] if single else Stack(cells, dropout=module.dropout))


def to_torch(module: Recurrent[Any] | Bidirectional | FusedCell[Any]) -> nn.RNNBase:
    """A copy as a module of torch, batch first.

    Raises:
        ChoiceError: cells for which torch has no module, or which differ from layer to layer.
    """
    cells, bidirectional, dropout = _layers(module)
    first = cells[0]
    if not _alike(cells, bidirectional):
        raise ChoiceError(
            "torch has modules for RNN, LSTM and GRU(reset='after'), all layers of one kind and "
            f"width, without residual connections, got {', '.join(map(repr, cells))}"
        )
    assert isinstance(first, FusedCell)
    made = (
        type(first)
        .peer(
            first.input_dim,
            first.hidden_dim,
            num_layers=1 if bidirectional else len(cells),
            dropout=dropout,
            bidirectional=bidirectional,
            batch_first=True,
        )
        .to(first.zeros(0))
    )
    with torch.no_grad():
        for suffix, cell in zip(_suffixes(made), cells, strict=True):
            assert isinstance(cell, FusedCell)
            for name, weight in zip(_NAMES, cell.kernel_weights(), strict=True):
                getattr(made, name + suffix).copy_(weight)
    return made.train(module.training)


_NAMES = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


def _suffixes(module: nn.RNNBase) -> list[str]:
    ends = ("", "_reverse") if module.bidirectional else ("",)
    return [f"_l{layer}{end}" for layer in range(module.num_layers) for end in ends]


def _cell(module: nn.RNNBase, suffix: str) -> FusedCell[Any]:
    first: Tensor = getattr(module, _NAMES[0] + suffix)
    zeros = first.new_zeros(first.shape[0])
    weights: list[Tensor] = [getattr(module, name + suffix, zeros) for name in _NAMES]
    sizes = first.shape[1], module.hidden_size
    made: FusedCell[Any]
    if isinstance(module, nn.LSTM):
        made = LSTM(*sizes)
    else:
        made = GRU(*sizes, reset="after") if isinstance(module, nn.GRU) else RNN(*sizes)
    made.to(zeros).load_kernel_weights(*weights)
    return made.train(module.training)


def _require_counterpart(module: nn.RNNBase) -> None:
    kind = type(module).__name__
    if getattr(module, "nonlinearity", "tanh") != "tanh":
        raise ChoiceError(f"RNN here has the nonlinearity tanh, got {module.nonlinearity!r}")
    if module.proj_size:
        raise ChoiceError(f"there is no cell with a projection, got {kind} with proj_size")
    if module.bidirectional and module.num_layers > 1:
        raise ChoiceError(
            f"from_torch copies one bidirectional layer, got {module.num_layers}; copy a {kind} of "
            "one layer for each"
        )


def _layers(
    module: Recurrent[Any] | Bidirectional | FusedCell[Any],
) -> tuple[Sequence[Cell[Any]], bool, float]:
    if isinstance(module, Bidirectional):
        return [module.rightward.cell, module.leftward.cell], True, 0.0
    cell: Cell[Any] = module.cell if isinstance(module, Recurrent) else module
    if not isinstance(cell, Stack) or cell.residual_from is not None or cell.variational:
        return [cell], False, 0.0
    return [layer for layer in cell.cells if isinstance(layer, Cell)], False, cell.dropout


def _alike(cells: Sequence[Cell[Any]], bidirectional: bool) -> bool:
    first = cells[0]
    inputs = [first.input_dim] * 2 if bidirectional else [c.hidden_dim for c in cells[:-1]]
    fed = [cell.input_dim for cell in (cells if bidirectional else cells[1:])]
    return (
        all(type(cell) is type(first) for cell in cells)
        and type(first) in (RNN, LSTM, GRU)
        and all(getattr(cell, "reset", "after") == "after" for cell in cells)
        and all(cell.hidden_dim == first.hidden_dim for cell in cells)
        and inputs == fed
    )
