"""``regard figure``: a picture of the literature, drawn from its own numbers."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..errors import ChoiceError, InputError, RangeError
from .files import write

SUFFIXES = (".png", ".svg")
SEEDS = (-(2**63), 2**64)
"""What torch takes, from the first to before the second."""


def figure(
    name: str | None = None,
    /,
    *,
    out: Path | None = None,
    seed: int = 0,
    kernel_width: Annotated[float | None, Parameter(allow_leading_hyphen=True)] = None,
) -> None:
    """Draw a figure of the literature as PNG or SVG.

    nadaraya-watson: regression as attention; kernels and widths compared, with their weights.

    gradient-flow: how fast a gradient vanishes on its way back through RNN, LSTM and GRU.

    Args:
        name: Which figure: nadaraya-watson or gradient-flow.
        out: The file to write, ending in .png or .svg.
        seed: Which points, or which cells and inputs, are drawn.
        kernel_width: Width of the three kernels in the upper half of nadaraya-watson, 1 if not
            given.
    """
    if name is None or out is None:
        missing = "a name: nadaraya-watson or gradient-flow" if name is None else "--out FILE.png"
        raise ChoiceError(f"figure needs {missing}")
    suffix = out.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(f"--out needs a name that ends in .png or .svg, got {str(out)!r}")

    if not SEEDS[0] <= seed < SEEDS[1]:
        raise RangeError(f"--seed needs a number of 64 bits, got {seed}")

    from ..lens.plots import figures, save

    draw = figures[name]
    if kernel_width is not None and name != "nadaraya-watson":
        raise ChoiceError(f"--kernel-width belongs to nadaraya-watson, {name} has no kernels")
    drawn = draw(seed=seed) if kernel_width is None else draw(seed=seed, kernel_width=kernel_width)
    write(out, lambda file: save(drawn, file, suffix[1:]))
