"""Fallback fonts: one that is installed for letters of every script."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
