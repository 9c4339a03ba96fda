"""An explanation as one HTML page: no scripts, nothing fetched, light and dark."""

from collections.abc import Iterable
from html import escape
from importlib.resources import files
from itertools import product

from .grid import panel_table, weight_map
from .layout import (
    Line,
    Panel,
    at_place,
    check_readable,
    leading_shape,
    num_rows,
    panels,
    place_title,
    too_large,
    values_are_keys,
)
from .numbers import column, typeset
from .record import Explanation
from .text import choices, line_words, notes, panel_title

MOST_OPEN = 8


def page(explanation: Explanation, precision: int = 4) -> str:
    """A page that stands alone.

    Raises:
        RangeError: too large to read.
    """
    check_readable(explanation, precision)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        "<title>Attention, step by step</title>\n"
        "<style>body { margin: 0; background: #fcfbf8; }\n"
        "@media (prefers-color-scheme: dark) { body { background: #12181d; } }</style>\n"
        f"</head>\n<body>\n{fragment(explanation, precision)}\n</body>\n</html>\n"
    )


def notebook(explanation: Explanation) -> str:
    """A part of a page; for an explanation nobody could read, the sentence that says so."""
    sentence = too_large(explanation)
    return fragment(explanation, 4) if sentence is None else f"<p>{escape(sentence)}</p>"


def fragment(explanation: Explanation, precision: int) -> str:
    """The explanation as one ``div`` with its style."""
    style = (files(__package__) / "page.css").read_text(encoding="utf-8")
    parts = [
        f"<style>\n{style}</style>",
        "<h1>Attention, step by step</h1>",
        _soft(_size(explanation)),
        _choices(explanation),
        *(_soft(note) for note in notes(explanation, gradients=False)),
        *_maps(explanation, precision),
        *_queries(explanation, precision),
        *_gradients(explanation, precision),
    ]
    return '<div class="regard">\n' + "\n".join(parts) + "\n</div>"


def _size(explanation: Explanation) -> str:
    keys = explanation.scores.shape[-1]
    queries = num_rows(explanation)
    widths = {name: explanation[name].tensor.shape[-1] for name in ("query", "key", "value")}
    leading = leading_shape(explanation)
    counts = [
        f"{queries} {'query' if queries == 1 else 'queries'} of width {widths['query']}",
        f"{keys} {'key' if keys == 1 else 'keys'} of width {widths['key']}",
        f"values of width {widths['value']}",
        *([f"leading axes {leading}"] if leading else []),
        str(explanation.context.dtype).removeprefix("torch."),
    ]
    return " · ".join(counts)


def _choices(explanation: Explanation) -> str:
    items = "\n".join(
        f'<li><small>{escape(stage)}</small><b>{escape(choice)}</b><span class="math">'
        f"{escape(equation)}</span></li>"
        for stage, choice, equation in choices(explanation)
    )
    return f'<ol class="choices">\n{items}\n</ol>'


def _maps(explanation: Explanation, precision: int) -> Iterable[str]:
    """The weights of all queries at a glance, where there is more than one."""
    step, leading = explanation["weights"], leading_shape(explanation)
    if num_rows(explanation) < 2:
        return
    yield '<h2>Who looks where <span class="soft">weights, one row per query</span></h2>'
    yield '<div class="maps">'
    for place in product(*map(range, leading)):
        title = escape(place_title(place, leading))
        heat = weight_map(at_place(step, place).tolist(), precision)
        yield f'<figure><figcaption class="soft">{title}</figcaption>{heat}</figure>'
    yield "</div>"


def _queries(explanation: Explanation, precision: int) -> Iterable[str]:
    shared = values_are_keys(explanation)
    for number, panel in enumerate(panels(explanation, gradients=False)):
        yield _panel(panel, precision, shared, opened=number < MOST_OPEN)


def _gradients(explanation: Explanation, precision: int) -> Iterable[str]:
    found = [*panels(explanation, gradients=True)]
    if found:
        yield "<h2>Gradients</h2>"
        yield from (_soft(note) for note in notes(explanation, gradients=True))
    for number, panel in enumerate(found):
        yield _panel(panel, precision, shared=False, opened=number < MOST_OPEN)


def _soft(sentence: str) -> str:
    return f'<p class="soft">{escape(sentence)}</p>'


def _panel(panel: Panel, precision: int, shared: bool, opened: bool) -> str:
    parts = [
        f"<details{' open' if opened else ''}><summary>{escape(panel_title(panel))}</summary>",
        *(_line(line, panel.row, precision) for line in panel.lines),
        f'<div class="scroll">{panel_table(panel, precision, shared)}</div>',
    ]
    if panel.context is not None:
        parts.append(_line(panel.context, panel.row, precision, "context"))
    return "\n".join([*parts, "</details>"])


def _line(line: Line, row: int | None, precision: int, kind: str = "") -> str:
    before, after = line_words(line, row)
    numbers = ", ".join(map(typeset, column(line.vector, precision)))
    return (
        f'<p class="{kind}"><span class="math">{escape(before)}</span> <b>[{numbers}]</b> '
        f'<span class="soft">{escape(after)}</span></p>'
    )
