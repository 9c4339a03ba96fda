"""Fonts that have the letters of every script, and titles wrapped to their width."""

from collections.abc import Iterable, Sequence
from functools import cache
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from regard.lens.words import width_of

from .style import SOFT

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontEntry


USUAL = "DejaVu Sans"
"""Comes with matplotlib: Latin, Greek, Cyrillic, Arabic, Hebrew and more."""
LAST = "Last Resort High-Efficiency"
"""Comes with matplotlib from 3.11 on: a box for every character, which tells its script."""
LIKED = ("Noto Sans", "Source Han Sans", "Liberation Sans", "WenQuanYi", "IPA", "Nanum")
"""How the names of fonts begin that go well with the usual one, best first."""

ODD = ("STIX", "cm", USUAL, LAST)
"""How the names of fonts begin that are not for words, or are tried anyway."""


def families(words: Iterable[str]) -> list[str]:
    """Fonts which together have all letters of ``words``, to be tried in this order.

    Only where the usual font lacks a letter, the others that are installed are looked through. A
    letter that none of them has becomes a box.
    """
    found, missing = _covering(words)
    return [*found, LAST] if missing and LAST in _installed_fonts() else found


def lacking(words: Iterable[str]) -> frozenset[str]:
    """Letters of ``words`` that no font has which is installed: they become boxes."""
    return _covering(words)[1]


def _covering(words: Iterable[str]) -> tuple[list[str], frozenset[str]]:
    """Fonts that have letters of ``words``, and the letters that none of them has."""
    missing = frozenset(letter for word in words for letter in word) - letters_of(USUAL)
    found = [USUAL]
    for name in _candidates() if missing else ():
        if missing & letters_of(name):
            missing -= letters_of(name)
            found.append(name)
        if not missing:
            break
    return found, missing


@cache
def letters_of(name: str) -> frozenset[str]:
    """Every letter that the font ``name`` has in its upright, regular form."""
    from matplotlib import font_manager as fonts

    entry = _installed_fonts()[name]
    one = entry.fname
    if hasattr(fonts, "FontPath"):  # before matplotlib 3.11, the first of a collection
        one = fonts.FontPath(one, entry.index)
    return frozenset(map(chr, fonts.get_font(one).get_charmap()))


@cache
def _installed_fonts() -> "dict[str, FontEntry]":
    """By name, the regular form where there is one."""
    from matplotlib.font_manager import fontManager

    def plainness(entry: "FontEntry") -> tuple[bool, bool]:
        return entry.style == "normal", entry.weight in (400, "normal", "regular")

    return {entry.name: entry for entry in sorted(fontManager.ttflist, key=plainness)}


def _candidates() -> Sequence[str]:
    def rank(name: str) -> tuple[int, str]:
        likes = [place for place, begin in enumerate(LIKED) if name.startswith(begin)]
        return min(likes, default=len(LIKED)), name

    names = (name for name in _installed_fonts() if not name.startswith(ODD))
    return sorted(names, key=rank)


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
