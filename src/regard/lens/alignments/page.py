"""Alignments as one HTML page: nothing is fetched, nothing but its own script may run."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files

from regard.errors import ShapeError

from .curves import curves
from .headings import headings
from .view import AlignmentView
from .words import direction, printable

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
