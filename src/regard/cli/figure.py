"""``regard figure``: a picture of the literature, or of how runs went."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ..errors import ChoiceError, InputError, RangeError
from .files import write

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CURVES = "curves"
SUFFIXES = (".png", ".svg")
SEEDS = (-(2**63), 2**64)
"""What torch takes, from the first to before the second."""


def figure(
    name: str | None = None,
    /,
    *runs: Path,
    out: Path | None = None,
    seed: int = 0,
    kernel_width: Annotated[float | None, Parameter(allow_leading_hyphen=True)] = None,
) -> None:
    """Draw a figure as PNG or SVG.

    nadaraya-watson: regression as attention; kernels and widths compared, with their weights.

    gradient-flow: how fast a gradient vanishes on its way back through RNN, LSTM and GRU.

    curves: loss and measures of one or more runs over their steps.

    Args:
        name: Which figure: nadaraya-watson, gradient-flow or curves.
        runs: Folders of runs, of curves.
        out: The file to write, ending in .png or .svg.
        seed: Which points, or which cells and inputs, are drawn.
        kernel_width: Width of the three kernels in the upper half of nadaraya-watson, 1 if not
            given.
    """
    if name is None or out is None:
        missing = (
            "a name: nadaraya-watson or gradient-flow, or curves"
            if name is None
            else "--out FILE.png"
        )
        raise ChoiceError(f"figure needs {missing}")
    suffix = out.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(f"--out needs a name that ends in .png or .svg, got {str(out)!r}")

    if not SEEDS[0] <= seed < SEEDS[1]:
        raise RangeError(f"--seed needs a number of 64 bits, got {seed}")

    from ..lens.plots import figures, save

    if name == CURVES:
        if kernel_width is not None:
            raise ChoiceError("--kernel-width belongs to nadaraya-watson, curves have no kernels")
        picture = _curves(runs)
        write(out, lambda file: save(picture, file, suffix[1:]))
        return
    if runs:
        raise ChoiceError(f"{name} takes no runs, got {str(runs[0])!r}; curves does")
    draw = figures[name]
    if kernel_width is not None and name != "nadaraya-watson":
        raise ChoiceError(f"--kernel-width belongs to nadaraya-watson, {name} has no kernels")
    drawn = draw(seed=seed) if kernel_width is None else draw(seed=seed, kernel_width=kernel_width)
    write(out, lambda file: save(drawn, file, suffix[1:]))


def _curves(runs: tuple[Path, ...]) -> "Figure":
    """How runs went, from their logs."""
    from ..training import log
    from ..training.curves import curves
    from ..training.launch import LOG

    if not runs:
        raise ChoiceError("figure curves needs the folders of runs: regard figure curves run/")
    return curves({str(run): log.read(run / LOG) for run in runs})
