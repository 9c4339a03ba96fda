"""An alignment as two lines of words with curves between them, as SVG for a page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from rich.cells import cell_len

from .view import AlignmentView
from .words import direction, shown

LETTER, PADDING, GAP = 9.0, 11.0, 8.0
"""Pixels of a letter, before and after a word, and between words."""
EDGE, LINE, HEIGHT = 26.0, 32.0, 120.0
"""Pixels above and below the drawing, of a line of words, and between the lines."""
FAINTEST = 0.02
"""Smaller weights have no curve."""


@dataclass(frozen=True)
class Word:
    """A word in its place: its middle and its width."""

    text: str
    middle: float
    width: float


def curves(view: AlignmentView) -> str:
    """The drawing; every word can be reached by keyboard, ``page.js`` says what happens then."""
    source, target = _line(view.source), _line(view.target)
    wide = max(_end(source), _end(target))
    source, target = _centred(source, wide), _centred(target, wide)
    high = 2 * (EDGE + LINE) + HEIGHT
    parts = [
        f'<svg class="curves" role="group" width="{wide:g}" height="{high:g}" '
        f'viewBox="0 0 {wide:g} {high:g}" '
        'aria-label="Words with curves between them, as wide as the weight">',
        '<g class="links" aria-hidden="true">',
        *_paths(view, source, target),
        "</g>",
        *(_word(word, "s", place) for place, word in enumerate(source)),
        *(_word(word, "t", place) for place, word in enumerate(target)),
        "</svg>",
    ]
    return "\n".join(parts)


def _line(words: Sequence[str]) -> list[Word]:
    """Words side by side, the first on the side where their reading begins."""
    texts = [shown(word) for word in words]
    place, line = 0.0, []
    for text in texts if direction(*texts) == "ltr" else reversed(texts):
        width = LETTER * cell_len(text) + 2 * PADDING
        line.append(Word(text, place + width / 2, width))
        place += width + GAP
    return line if direction(*texts) == "ltr" else line[::-1]


def _end(line: Sequence[Word]) -> float:
    return max(word.middle + word.width / 2 for word in line)


def _centred(line: Sequence[Word], wide: float) -> list[Word]:
    spare = (wide - _end(line)) / 2
    return [Word(word.text, word.middle + spare, word.width) for word in line]


def _paths(view: AlignmentView, source: Sequence[Word], target: Sequence[Word]) -> Iterator[str]:
    """Weak curves first, so that strong ones lie on top."""
    links = [(w, t, s) for t, row in enumerate(view.rows) for s, w in enumerate(row)]
    above, below = EDGE + LINE, EDGE + LINE + HEIGHT
    middle = (above + below) / 2
    for weight, t, s in sorted(links):
        share = weight / view.largest
        if share >= FAINTEST:
            start, end = source[s].middle, target[t].middle
            yield (
                f'<path data-s="{s}" data-t="{t}" stroke-width="{1 + 8 * share:.1f}" '
                f'stroke-opacity="{0.2 + 0.7 * share:.2f}" d="M{start:g} {above:g}C{start:g} '
                f'{middle:g} {end:g} {middle:g} {end:g} {below:g}"/>'
            )


def _word(word: Word, side: str, place: int) -> str:
    """A word in its box, with room for its weight outside."""
    top = EDGE if side == "s" else EDGE + LINE + HEIGHT
    number = top - 8 if side == "s" else top + LINE + 18
    rtl = ' direction="rtl"' if direction(word.text) == "rtl" else ""
    return (
        f'<g class="word" tabindex="0" role="button" aria-pressed="false" data-{side}="{place}">'
        f'<rect x="{word.middle - word.width / 2:g}" y="{top:g}" width="{word.width:g}" '
        f'height="{LINE:g}" rx="7"/>'
        f'<text x="{word.middle:g}" y="{top + 21:g}"{rtl}>{escape(word.text)}</text>'
        f'<text class="weight" x="{word.middle:g}" y="{number:g}" aria-hidden="true"></text></g>'
    )
