"""One of each cell, with sizes that differ, for what is true of all of them."""

import torch

from regard.cells import (
    GRU,
    LSTM,
    LSTMN,
    MUT1,
    MUT2,
    MUT3,
    RNN,
    DeepFusion,
    ShallowFusion,
    Stack,
)

INPUT, HIDDEN = 5, 7

CELLS = {
    "RNN": lambda: RNN(INPUT, HIDDEN),
    "LSTM": lambda: LSTM(INPUT, HIDDEN),
    "GRU before": lambda: GRU(INPUT, HIDDEN),
    "GRU after": lambda: GRU(INPUT, HIDDEN, reset="after"),
    "MUT1": lambda: MUT1(INPUT, INPUT),
    "MUT2": lambda: MUT2(INPUT, INPUT),
    "MUT3": lambda: MUT3(INPUT, HIDDEN),
    "LSTMN": lambda: LSTMN(INPUT, HIDDEN, attention_dim=3),
    "ShallowFusion": lambda: ShallowFusion(INPUT, HIDDEN, attention_dim=3),
    "DeepFusion": lambda: DeepFusion(INPUT, HIDDEN, attention_dim=3),
    "Stack": lambda: Stack([LSTM(INPUT, HIDDEN), GRU(HIDDEN, 3), RNN(3, 3)], residual_from=3),
}


def begun(cell, *batch):
    """The start, over a source of six slots where the cell looks at one."""
    width, like = cell.hidden_dim, next(cell.parameters())
    if isinstance(cell, ShallowFusion | DeepFusion):
        tapes = torch.randn(2, *batch, 6, width).to(like)
        given = tapes[:1] if isinstance(cell, ShallowFusion) else tapes
        return cell.start(*batch, source=cell.read(*given))
    return cell.start(*batch)


def leaves(state):
    """Every tensor of a state."""
    if isinstance(state, torch.Tensor):
        return [state]
    return [] if state is None else [leaf for part in state for leaf in leaves(part)]
