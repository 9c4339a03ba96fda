"""An alignment as two lines of words with curves between them, as SVG for a page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape

from regard.lens.letters import width_of

from .view import AlignmentView
from .words import direction, printable

LETTER, PADDING, GAP = 9.0, 11.0, 8.0
"""Pixels of a letter, before and after a word, and between words."""
EDGE, LINE, HEIGHT = 26.0, 32.0, 120.0
"""Pixels above and below the drawing, of a line of words, and between the lines."""
FAINTEST = 0.02
"""Smaller shares of the largest weight have no curve."""


@dataclass(frozen=True)
class Word:
    """A word in its place: its middle and its width."""

    text: str
    middle: float
    width: float
    looks: str = ""
    """What a target word looks at, as ``column:per cent`` with blanks between."""
    kind: str = "word"


def curves(view: AlignmentView, most: int) -> str:
    """The drawing; every word can be reached by keyboard, ``page.js`` says what happens then.

    Both lines are as wide as the longer one, so that what belongs together stays together.

    Args:
        view: what is drawn.
        most: curves at most, the strongest.
    """
    source, target = _line(view.columns, view.source), _line(view.target, view.target)
    wide = max(_end(source), _end(target))
    source, target = _stretch(source, wide), _stretch(target, wide)
    if view.end is not None:
        source[-1] = replace(source[-1], kind="word end")
    target = [
        replace(word, looks=_looks(row)) for word, row in zip(target, view.cells, strict=True)
    ]
    high = 2 * (EDGE + LINE) + HEIGHT
    parts = [
        f'<svg class="curves" role="group" width="{wide:g}" height="{high:g}" '
        f'viewBox="0 0 {wide:g} {high:g}" '
        'aria-label="Words with curves between them, as wide as the weight">',
        '<g class="links" aria-hidden="true">',
        *_paths(view, source, target, most),
        "</g>",
        *(_word(word, "s", place) for place, word in enumerate(source)),
        *(_word(word, "t", place) for place, word in enumerate(target)),
        "</svg>",
    ]
    return "\n".join(parts)


def _line(words: Sequence[str], sentence: Sequence[str]) -> list[Word]:
    """Words side by side, the first on the side where the reading of their sentence begins."""
    texts = [printable(word) for word in words]
    way = direction(*map(printable, sentence))
    place, line = 0.0, []
    for text in texts if way == "ltr" else reversed(texts):
        width = LETTER * width_of(text) + 2 * PADDING
        line.append(Word(text, place + width / 2, width))
        place += width + GAP
    return line if way == "ltr" else line[::-1]


def _end(line: Sequence[Word]) -> float:
    return max(word.middle + word.width / 2 for word in line)


def _stretch(line: Sequence[Word], wide: float) -> list[Word]:
    """Words with so much between them that they fill the width; a single one in the middle."""
    spare = wide - _end(line)
    order = sorted(range(len(line)), key=lambda place: line[place].middle)
    moved = {
        place: spare * (number / (len(line) - 1) if len(line) > 1 else 0.5)
        for number, place in enumerate(order)
    }
    return [replace(word, middle=word.middle + moved[at]) for at, word in enumerate(line)]


def _looks(row: Sequence[float]) -> str:
    """All the row weighs, then what of it is half a per cent or more, and where."""
    found = (f"{s}:{100 * weight:.1f}" for s, weight in enumerate(row) if weight >= 0.005)
    return " ".join([f"{100 * sum(row):.1f}", *found])


def _paths(
    view: AlignmentView, source: Sequence[Word], target: Sequence[Word], most: int
) -> Iterator[str]:
    """Weak curves first, so that strong ones lie on top."""
    least = FAINTEST * view.largest
    links = sorted(
        (weight, t, s)
        for t, row in enumerate(view.cells)
        for s, weight in enumerate(row)
        if weight >= least
    )
    above, below = EDGE + LINE, EDGE + LINE + HEIGHT
    middle = (above + below) / 2
    for weight, t, s in links[max(0, len(links) - most) :]:
        share = weight / view.largest
        start, end = f"{source[s].middle:.6g}", f"{target[t].middle:.6g}"
        yield (
            f'<path data-s="{s}" data-t="{t}" stroke-width="{1 + 8 * share:.1f}" '
            f'stroke-opacity="{0.2 + 0.7 * share:.2f}" d="M{start} {above:g}C{start} '
            f'{middle:g} {end} {middle:g} {end} {below:g}"/>'
        )


def _word(word: Word, side: str, place: int) -> str:
    """A word in its box, with room for its weight outside."""
    top = EDGE if side == "s" else EDGE + LINE + HEIGHT
    number = top - 8 if side == "s" else top + LINE + 18
    rtl = ' direction="rtl"' if direction(word.text) == "rtl" else ""
    looks = f' data-looks="{word.looks}"' if word.looks else ""
    return (
        f'<g class="{word.kind}" tabindex="0" role="button" aria-pressed="false" '
        f'data-{side}="{place}"{looks}>'
        f'<rect x="{word.middle - word.width / 2:.6g}" y="{top:g}" width="{word.width:g}" '
        f'height="{LINE:g}" rx="7"/>'
        f'<text x="{word.middle:.6g}" y="{top + 21:g}"{rtl}>{escape(word.text)}</text>'
        f'<text class="weight" x="{word.middle:.6g}" y="{number:g}" aria-hidden="true"></text></g>'
    )
