"""Alignments as one HTML page: nothing is fetched, nothing but its own script may run."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files

from regard.errors import ShapeError

from .curves import curves
from .view import AlignmentView
from .words import direction, shown

COUNTS, STRONG, STRONG_IN_THE_DARK = 5, 64, 45
"""Shares in per cent: from where on a cell's letters are full, and are those of strong cells."""


def html(views: Sequence[AlignmentView]) -> str:
    """A page that stands alone: curves and a table for every view.

    Pointing at a word, or reaching it with the keyboard, shows its weights; a click or the enter
    key holds them. Light or dark as the reader prefers. Without scripts all numbers are there.

    Args:
        views: at least one: one sentence in several models, or several heads of one.

    Raises:
        ShapeError: no view.
    """
    if not views:
        raise ShapeError("a page of alignments needs at least one view, got none")
    style, script = _file("page.css") + _shades(), _file("page.js")
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_policy(style, script)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{_heading(views)}</title>",
            f"<style>{style}</style>\n</head>\n<body>\n<main>",
            f"<header><h1><bdi>{_heading(views)}</bdi></h1>",
            '<p class="soft">Point at a word, or step from word to word with the arrow keys, to '
            "see where it looks. Click or press enter to hold it.</p></header>",
            '<div class="views">',
            *(_view(view, number) for number, view in enumerate(views, 1)),
            f"</div>\n</main>\n<script>{script}</script>\n</body>\n</html>\n",
        ]
    )


def _policy(style: str, script: str) -> str:
    """Only this very style and this very script."""
    hashes = (b64encode(sha256(part.encode()).digest()).decode() for part in (style, script))
    style_hash, script_hash = hashes
    return (
        f"default-src 'none'; style-src 'sha256-{style_hash}'; "
        f"script-src 'sha256-{script_hash}'; base-uri 'none'; form-action 'none'"
    )


def _heading(views: Sequence[AlignmentView]) -> str:
    """The source sentence where all share it."""
    sentences = {view.source for view in views}
    return _sentence(views[0].source) if len(sentences) == 1 else "Alignments"


def _sentence(words: Sequence[str]) -> str:
    return escape(" ".join(map(shown, words)))


def _view(view: AlignmentView, number: int) -> str:
    name = f"view-{number}"
    title = escape(shown(view.title)) if view.title else f"Alignment {number}"
    return "\n".join(
        [
            f'<section class="view" aria-labelledby="{name}">',
            f'<h2 id="{name}"><bdi>{title}</bdi></h2>',
            f'<p class="soft"><bdi>{_sentence(view.target)}</bdi></p>',
            f'<div class="scroll" tabindex="0" role="region" aria-label="{title}: curves">',
            f"{curves(view)}</div>",
            '<p class="said" role="status"></p>',
            f'<div class="scroll" tabindex="0" role="region" aria-label="{title}: table">',
            *_table(view),
            "</div>\n</section>",
        ]
    )


def _table(view: AlignmentView) -> Iterator[str]:
    way = direction(*map(shown, view.source))
    yield f'<table dir="{way}">\n<caption>Weights in %, a row per target word</caption>'
    heads = (f'<th scope="col" data-s="{s}">{_bdi(w)}</th>' for s, w in enumerate(view.source))
    yield f"<thead><tr><td></td>{''.join(heads)}</tr></thead>\n<tbody>"
    for (place, word), row in zip(enumerate(view.target), view.rows, strict=True):
        cells = "".join(_cell(weight, view.largest) for weight in row)
        yield f'<tr><th scope="row" data-t="{place}">{_bdi(word)}</th>{cells}</tr>'
    yield "</tbody>\n</table>"


def _bdi(word: str) -> str:
    """A word that turns nothing but itself."""
    return f"<bdi>{escape(shown(word))}</bdi>"


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
