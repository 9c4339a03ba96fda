"""How values show themselves in a notebook: small tables, every text in them escaped."""

from collections.abc import Iterable, Sequence
from html import escape
from math import isfinite

STRONGEST = 0.7
"""How much of the colour the largest weight has; letters on it can be read on light and dark."""
CELL = "padding:.2em .6em;text-align:left;white-space:pre-wrap"
NUMBER = "padding:.2em .5em;text-align:center;min-width:2.2em"


def table(headings: Sequence[str], rows: Iterable[Sequence[object]], *, title: str = "") -> str:
    """Rows of anything, by ``str``.

    Args:
        headings: of the columns.
        rows: as many cells each.
        title: a line above.
    """
    body = "".join(f"<tr>{_cells('td', CELL, row)}</tr>" for row in rows)
    return (
        f"<table>{_caption(title)}<thead><tr>{_cells('th', CELL, headings)}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def heat(
    weights: Sequence[Sequence[float]],
    *,
    queries: Sequence[object],
    keys: Sequence[object],
    title: str = "",
) -> str:
    """A map of weights in per cent, the darker the farther from 0.

    Args:
        weights: a row for every query.
        queries: what looks, by ``str``.
        keys: what is looked at, by ``str``.
        title: a line above.
    """
    scale = max([1.0, *(abs(weight) for row in weights for weight in row if isfinite(weight))])
    rows = "".join(
        f"<tr>{_cells('th', CELL, [query])}{''.join(_weight(w, scale) for w in row)}</tr>"
        for query, row in zip(queries, weights, strict=True)
    )
    head = f"<tr><td></td>{_cells('th', NUMBER, keys)}</tr>"
    return f"<table>{_caption(title)}<thead>{head}</thead><tbody>{rows}</tbody></table>"


def _caption(title: str) -> str:
    style = "caption-side:top;text-align:left;font-weight:bold"
    return f'<caption style="{style}">{escape(title)}</caption>' if title else ""


def _cells(tag: str, style: str, cells: Iterable[object]) -> str:
    return "".join(f'<{tag} style="{style}">{escape(str(cell))}</{tag}>' for cell in cells)


def _weight(weight: float, scale: float) -> str:
    share = abs(weight) / scale if isfinite(weight) else 0.0
    shade = f"background:rgba(31,122,131,{STRONGEST * share:.2f})"
    return f'<td style="{NUMBER};{shade}">{100 * weight:.0f}</td>'
