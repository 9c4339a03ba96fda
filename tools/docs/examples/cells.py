"""Cells: how much each state depends on each word read so far."""

from typing import Any

import torch
from torch import Tensor

from regard import cells
from regard.lens.examples import sentence

from .example import sharper, shows


def influence(cell: cells.Cell[Any]) -> Tensor:
    """‖∂h_q/∂x_k‖ of every state and word, each row divided by its sum."""
    x = sentence()
    states = torch.autograd.functional.jacobian(lambda x: cells.Recurrent(cell)(x)[0], x)
    norms = states.square().sum(dim=(1, 3)).sqrt()  # (6, H, 6, 8) to (6, 6)
    return norms / norms.sum(dim=-1, keepdim=True)


@shows("RNN")
def rnn() -> Tensor:
    """The influence of each word on the state of an RNN: ‖∂h/∂x‖, as a share of its row."""
    return influence(sharper(cells.RNN(8, 16), 2.0))


@shows("LSTM")
def lstm() -> Tensor:
    """The influence of each word on the state of an LSTM: ‖∂h/∂x‖, as a share of its row."""
    return influence(sharper(cells.LSTM(8, 16), 2.0))


@shows("GRU")
def gru() -> Tensor:
    """The influence of each word on the state of a GRU: ‖∂h/∂x‖, as a share of its row."""
    return influence(sharper(cells.GRU(8, 16), 2.0))


@shows("MUT1")
def mut1() -> Tensor:
    """The influence of each word on the state of an MUT1: ‖∂h/∂x‖, as a share of its row."""
    return influence(sharper(cells.MUT1(8, 8), 2.0))


@shows("MUT2")
def mut2() -> Tensor:
    """The influence of each word on the state of an MUT2: ‖∂h/∂x‖, as a share of its row."""
    return influence(sharper(cells.MUT2(8, 8), 2.0))


@shows("MUT3")
def mut3() -> Tensor:
    """The influence of each word on the state of an MUT3: ‖∂h/∂x‖, as a share of its row."""
    return influence(sharper(cells.MUT3(8, 8), 2.0))
