"""Titles of figures, wrapped to their width."""

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from regard.lens.letters import width_of

from .fonts import families
from .style import SOFT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZE, SMALL = 12.5, 9.5
"""Points of the letters of a title, and of the line below it."""
LETTER, LINE = 0.7 / 72, 1.35 / 72
"""Inches of a letter and of a line, per point."""
MOST = 3
"""Lines of a part of a title at most."""
ARROW = " → "


def lettering(text: str) -> dict[str, Any]:
    """The fonts of a title: bold, unless letters come from a font that may have no bold ones."""
    fonts = families([text])
    return {"fontfamily": fonts, "fontweight": "bold" if len(fonts) == 1 else "normal"}


def head(figure: "Figure", parts: Sequence[str], below: str = "") -> None:
    """Put a title above everything, and a softer line below it; the picture grows by as much.

    Args:
        figure: what is drawn, in a constrained layout.
        parts: of the title: with an arrow between them if that is one line, else below each other.
        below: may take several lines.
    """
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    width, height = figure.get_size_inches()
    title = ARROW.join(parts)
    lines = [(line, SIZE, lettering(title)) for line in _title(parts, width / (SIZE * LETTER))]
    plain = {"fontfamily": families([below]), "color": SOFT}
    lines += [(line, SMALL, plain) for line in wrap_title(below, width / (SMALL * LETTER))]
    if not lines:
        return
    heights = [LINE * size for _, size, _ in lines]
    above = sum(heights) + 0.12
    figure.set_size_inches(width, height + above)
    engine = figure.get_layout_engine()
    assert isinstance(engine, ConstrainedLayoutEngine)
    engine.set(rect=(0, 0, 1, height / (height + above)))
    place = height + above - 0.1
    for (line, size, style), down in zip(lines, heights, strict=True):
        up = place / (height + above)
        figure.text(0.1 / width, up, line, fontsize=size, va="top", parse_math=False, **style)
        place -= down


def _title(parts: Sequence[str], letters: float) -> list[str]:
    """All in one line, or every part in lines of its own."""
    whole = wrap_title(ARROW.join(parts), letters)
    if len(whole) < 2:
        return whole
    first, *others = parts
    return [
        *wrap_title(first, letters),
        *(line for one in others for line in wrap_title(f"→ {one}", letters)),
    ]


def wrap_title(text: str, letters: float) -> list[str]:
    """``text`` in a few lines of so many letters; what does not fit is cut off, and it shows."""
    narrow = len(text) / max(1, width_of(text))  # Chinese letters are twice as wide as ours
    return wrap(text, max(6, int(letters * narrow)), max_lines=MOST, placeholder=" …")
