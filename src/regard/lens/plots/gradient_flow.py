"""The figure of gradient flow, cell by cell."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from regard.cells import GRU, LSTM, RNN, Cell
from regard.lens.gradient_flow import gradient_flow as measure

from .style import CLAY, GOLD, SEA, SOFT, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, NUM_SEQUENCES, FLOOR = 24, 4, 1e-12
OPEN = 3.0
"""Bias of a gate that begins open: it keeps σ(3) ≈ 0.95 of a state."""


class Line(NamedTuple):
    """One curve: a cell, the part of its state, and how it is drawn."""

    label: str
    cell: Callable[[], Cell[Any]]
    through: str
    colour: str
    dashes: tuple[int, tuple[int, ...]] = (0, ())


def gradient_flow(*, seed: int = 0, length: int = 100) -> "Figure":
    """The vanishing gradient: how much of ∂h_T a state d steps back receives.

    On the left the cells as they are drawn, all of whose gradients vanish; on the right the same
    with gates that begin open. See :func:`regard.lens.gradient_flow` for the number that is shown.

    Args:
        seed: which weights and inputs.
        length: how many steps back.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    with style("the figure gradient-flow"):
        from .style import notebook_figure

        figure = notebook_figure()(figsize=(12, 5.2), dpi=200, layout="constrained")
        closed, opened = figure.subplots(1, 2, sharey=True)
        inputs = _inputs(seed, length)
        _panel(closed, _lines(bias=0.0), inputs, seed)
        _panel(opened, _lines(bias=OPEN), inputs, seed)
        closed.set_title("Gates as they are drawn", fontweight="bold")
        opened.set_title(f"Gates that begin open, bias {OPEN:g}", fontweight="bold")
        closed.set_ylabel("‖∂h$_T$ / ∂h$_{T-d}$‖")
        closed.legend(loc="upper right", frameon=False, fontsize=10, labelcolor=SOFT)
        title = "A gate that keeps its state keeps the gradient"
        figure.suptitle(title, x=0.008, ha="left", fontsize=16, fontweight="bold")
        return figure


def _lines(bias: float) -> tuple[Line, ...]:
    def lstm() -> LSTM:
        return LSTM(WIDTH, WIDTH, forget_bias=bias)

    return (
        Line("RNN", lambda: RNN(WIDTH, WIDTH), "hidden", CLAY),
        Line("LSTM", lstm, "hidden", SEA),
        Line("LSTM, by its memory c", lstm, "memory", SEA, (0, (4, 2))),
        Line("GRU", lambda: GRU(WIDTH, WIDTH, update_bias=bias), "hidden", GOLD),
    )


def _inputs(seed: int, length: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(NUM_SEQUENCES, length, WIDTH, generator=generator, dtype=torch.float64)


def _panel(axes: "Axes", lines: tuple[Line, ...], inputs: torch.Tensor, seed: int) -> None:
    for line in lines:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            cell = line.cell().double()
        flow = measure(cell, inputs, through=line.through).clamp(min=FLOOR / 10)
        axes.plot(
            range(len(flow)),
            flow.numpy(),
            color=line.colour,
            linewidth=2.2,
            linestyle=line.dashes,
            label=line.label,
        )
    axes.set(yscale="log", xlim=(0, inputs.shape[-2] - 1), ylim=(FLOOR, 10))
    axes.set_xlabel("distance d")
