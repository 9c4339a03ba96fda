"""What the doctor says as a picture: a paragraph for every finding."""

from textwrap import wrap
from typing import TYPE_CHECKING

from ..plots.style import CLAY, GOLD, INK, LEAF, SOFT, style
from .finding import NOTHING, Diagnosis, Finding, Severity

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INKS: dict[Severity, str] = {"broken": CLAY, "suspicious": GOLD, "normal": LEAF}
LETTERS, LINE, WIDTH = 92, 0.22, 8.0
"""Letters of a line; inches of a line, and of the picture across."""


def drawn(found: Diagnosis) -> "Figure":
    """A figure as high as the text is."""
    lines = [line for one in found for line in _paragraph(one)] or [(NOTHING, INK)]
    with style("the picture of a diagnosis"):
        from ..plots.style import notebook_figure

        height = LINE * (len(lines) + 1)
        figure = notebook_figure()(figsize=(WIDTH, height), dpi=160)
        for place, (text, colour) in enumerate(lines):
            above = 1 - LINE * (place + 1) / height
            figure.text(0.02, above, text, color=colour, fontsize=10, parse_math=False)
        return figure


def _paragraph(one: Finding) -> list[tuple[str, str]]:
    head = f"{one.severity}: {one.cause}" + (f", in {one.where}" if one.where else "")
    told = [(line, SOFT) for line in wrap(one.told, LETTERS)]
    fix = [(line, INK) for line in wrap(one.fix, LETTERS)]
    return [(head, INKS[one.severity]), *told, *fix, ("", INK)]
