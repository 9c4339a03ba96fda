"""``regard figure``: a picture of the literature, drawn from its own numbers."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..errors import InputError
from .files import write

SUFFIXES = (".png", ".svg")


def figure(
    name: str,
    /,
    *,
    out: Path,
    seed: int = 0,
    kernel_width: Annotated[float, Parameter(allow_leading_hyphen=True)] = 1.0,
) -> None:
    """Draw a figure of the literature as PNG or SVG.

    nadaraya-watson: regression as attention; kernels and widths compared, with their weights.

    Args:
        name: Which figure; for now nadaraya-watson.
        out: The file to write, ending in .png or .svg.
        seed: Which points are drawn.
        kernel_width: Width of the three kernels in the upper half.
    """
    suffix = out.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(f"--out needs a name that ends in .png or .svg, got {str(out)!r}")

    from ..lens.plots import figures, save

    drawn = figures[name](seed=seed, kernel_width=kernel_width)
    write(out, lambda file: save(drawn, file, suffix[1:]))
