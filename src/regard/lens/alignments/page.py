"""Alignments as one HTML page: nothing is fetched, nothing but its own script may run."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from html import escape
from importlib.resources import files

from regard.errors import ShapeError
from regard.lens.words import width_of

from ..words import direction, printable
from .view import AlignmentView, headings

COUNTS, STRONG, STRONG_IN_THE_DARK = 5, 64, 45
"""Shares in per cent: from where on a cell's letters are full, and are those of strong cells."""
ROW = 33
"""Pixels of a row of a table."""
MOST_CELLS, MOST_CURVES = 50_000, 12_000
"""Of a page: with more cells it has no tables, and curves are the strongest; so it opens."""


def html(views: Sequence[AlignmentView]) -> str:
    """A page that stands alone: curves and a table for every view.

    Pointing at a word, or reaching it with the keyboard, shows its weights; a click or the enter
    key holds them. Light or dark as the reader prefers. Without scripts all numbers are there, in
    tables, unless the sentences are so long that nobody could read these.

    Args:
        views: at least one: one sentence in several models, or several heads of one.

    Raises:
        ShapeError: no view.
    """
    if not views:
        raise ShapeError("a page of alignments needs at least one view, got none")
    style, script = _file("page.css") + _shades(), _file("page.js")
    above = headings(views)
    title = escape(" → ".join(above.sentences) or "Alignments")
    tables = _has_tables(views)
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_policy(style, script)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{title}</title>",
            f"<style>{style}</style>\n</head>\n<body>\n<main>",
            f"<header><h1>{_bdi(above.sentences[0]) if above.sentences else title}</h1>",
            f'<p class="model">{_bdi(above.model)}</p>' if above.model else "",
            '<p class="soft">Point at a word, or step from word to word with the arrow keys, to '
            "see where it looks. Click or press enter to hold it.</p></header>",
            '<div class="views">',
            *(
                _view(view, f"view-{number}", name, tables, MOST_CURVES // len(views))
                for number, (view, name) in enumerate(zip(views, above.views, strict=True), 1)
            ),
            f"</div>\n</main>\n<script>{script}</script>\n</body>\n</html>\n",
        ]
    )


def iframe(views: Sequence[AlignmentView]) -> str:
    """The page in a frame of its own, for a notebook: neither can touch the other."""
    rows = max(len(view.target) for view in views)
    high = min(1000, 570 + ROW * rows * _has_tables(views))
    return (
        f'<iframe sandbox="allow-scripts" title="Alignment" width="100%" height="{high}" '
        f'style="border:0" srcdoc="{escape(html(views))}"></iframe>'
    )


def _has_tables(views: Sequence[AlignmentView]) -> bool:
    return sum(len(view.target) * len(view.columns) for view in views) <= MOST_CELLS


def _policy(style: str, script: str) -> str:
    """Only this very style and this very script."""
    hashes = (b64encode(sha256(part.encode()).digest()).decode() for part in (style, script))
    style_hash, script_hash = hashes
    return (
        f"default-src 'none'; style-src 'sha256-{style_hash}'; "
        f"script-src 'sha256-{script_hash}'; base-uri 'none'; form-action 'none'"
    )


def _view(view: AlignmentView, place: str, name: str, tables: bool, most: int) -> str:
    """A card; one without a name is headed by its translation."""
    sentence = printable(view.sentences[1])
    title = escape(name or sentence)
    return "\n".join(
        [
            f'<section class="view" aria-labelledby="{place}">',
            f'<h2 id="{place}"><bdi>{title}</bdi></h2>',
            f'<p class="soft">{_bdi(sentence)}</p>' if name else "",
            f'<div class="scroll" tabindex="0" role="region" aria-label="{title}: curves">',
            f"{curves(view, most)}</div>",
            '<p class="said" role="status"></p>',
            *(_table(view, title) if tables else _no_table(view)),
            "</section>",
        ]
    )


def _no_table(view: AlignmentView) -> Iterator[str]:
    yield (
        f'<p class="soft">A table of {len(view.target):,} × {len(view.columns):,} weights is more '
        "than a page can hold: point at a word for its numbers.</p>"
    )


def _table(view: AlignmentView, title: str) -> Iterator[str]:
    way = direction(*map(printable, view.source))
    yield f'<div class="scroll" tabindex="0" role="region" aria-label="{title}: table">'
    yield f'<table dir="{way}">\n<caption>Weights in %, a row per target word</caption>'
    heads = (f'<th scope="col" data-s="{s}">{_bdi(w)}</th>' for s, w in enumerate(view.columns))
    yield f"<thead><tr><td></td>{''.join(heads)}</tr></thead>\n<tbody>"
    for (place, word), row in zip(enumerate(view.target), view.cells, strict=True):
        cells = "".join(_cell(weight, view.largest) for weight in row)
        yield f'<tr><th scope="row" data-t="{place}">{_bdi(word)}</th>{cells}</tr>'
    yield "</tbody>\n</table>\n</div>"


def _bdi(word: str) -> str:
    """A word that turns nothing but itself."""
    return f"<bdi>{escape(printable(word))}</bdi>"


def _cell(weight: float, largest: float) -> str:
    return f'<td class="w{round(100 * weight / largest)}">{100 * weight:.0f}</td>'


def _shades() -> str:
    """Rules for the colours of every share in per cent; attributes of style are not allowed."""
    backgrounds = "".join(f".w{share}{{--w:{share}%}}" for share in range(1, 101))
    dark = _from(STRONG_IN_THE_DARK, "color:var(--strong);font-weight:600")
    return (
        backgrounds
        + _from(COUNTS, "color:var(--full)")
        + _from(STRONG, "color:var(--strong);font-weight:600")
        + f"@media (prefers-color-scheme: dark){{{dark}}}"
    )


def _from(least: int, rule: str) -> str:
    return ",".join(f".w{share}" for share in range(least, 101)) + f"{{{rule}}}"


def _file(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


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
