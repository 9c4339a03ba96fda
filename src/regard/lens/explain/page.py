"""An explanation as one HTML page: no scripts, nothing fetched, light and dark."""

from collections.abc import Iterable
from html import escape
from importlib.resources import files
from itertools import product

from .layout import (
    Column,
    Line,
    Panel,
    at_place,
    check_readable,
    column,
    leading_shape,
    num_rows,
    place_title,
    sections,
    subscript,
    subtitle,
    too_large,
    typeset,
)
from .record import Explanation
from .text import choices, line_words, panel_title, shown_title

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
        *_sections(explanation, precision),
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


def _sections(explanation: Explanation, precision: int) -> Iterable[str]:
    for section in sections(explanation):
        if section.heading:
            yield f"<h2>{section.heading}</h2>"
        yield from map(_soft, section.notes)
        if not section.heading:
            yield from _maps(explanation, precision)
        for number, panel in enumerate(section.panels):
            yield _panel(panel, precision, section.shared, opened=number < MOST_OPEN)


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


GAP = '<td class="gap"></td>'


def panel_table(panel: Panel, precision: int, shared: bool) -> str:
    """One row per key, one group of cells per step, sums below."""
    heads = "".join(_head(part, shared) for part in panel.columns)
    cells = [_cells(part, precision) for part in panel.columns]
    count = len(panel.columns[0].cells) if panel.columns else 0
    rows = "\n".join(
        _row(subscript("k", i), [part[i] for part in cells], "shut" if i in panel.shut else "")
        for i in range(count)
    )
    foot = ""
    if any(part.total is not None for part in panel.columns):
        foot = f"<tfoot>{_row('Σ', [part[count] for part in cells])}</tfoot>\n"
    return (
        f"<table>\n<thead><tr><th></th>{heads}</tr></thead>\n"
        f"<tbody>\n{rows}\n</tbody>\n{foot}</table>"
    )


def weight_map(weights: list[list[float]], precision: int) -> str:
    """All weights as a heat map: rows are queries, columns are keys."""
    words = iter(column((weight for row in weights for weight in row), precision))
    largest = max([1.0, *(weight for row in weights for weight in row)])
    heads = "".join(f"<th>{subscript('k', i)}</th>" for i in range(len(weights[0])))
    rows = "\n".join(
        _row(subscript("q", i), ["".join(_heated(next(words), w, largest) for w in row)], gap="")
        for i, row in enumerate(weights)
    )
    return (
        f'<div class="scroll"><table>\n<thead><tr><th></th>{heads}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody>\n</table></div>"
    )


def _row(name: str, groups: list[str], kind: str = "", gap: str = GAP) -> str:
    cells = "".join(gap + group for group in groups)
    return f'<tr class="{kind}"><th>{name}</th>{cells}</tr>'


def _head(part: Column, shared: bool) -> str:
    title, below = shown_title(part.step, shared=shared), subtitle(part.step)
    return (
        f'<th class="gap"></th><th colspan="{_span(part)}">{escape(title)}'
        f'<small class="math">{escape(below)}</small></th>'
    )


def _span(part: Column) -> int:
    return max(len(part.cells[0]), 1) if part.cells else 1


def _cells(part: Column, precision: int) -> list[str]:
    """The cells of a column as HTML, one entry per key and one for the sum."""
    rows = [*part.cells] if part.total is None else [*part.cells, part.total]
    words = iter(column((number for row in rows for number in row), precision))
    lines = ["".join(_cell(next(words), number, part) for number in row) for row in part.cells]
    if part.total is None:
        return [*lines, "<td></td>" * _span(part)]
    return [*lines, "".join(f"<td>{typeset(next(words))}</td>" for _ in part.total)]


def _cell(word: str, number: float, part: Column) -> str:
    if part.step.stage == "input":
        return f"<td>{typeset(word)}</td>"
    if part.step.name == "weights":
        heat = _heat(number, max(1.0, part.step.largest))
        return f'<td class="weight" style="--heat:{heat}">{typeset(word)}</td>'
    return _heated(word, number, part.step.largest)


def _heated(word: str, number: float, largest: float) -> str:
    tone = "cold" if number < 0 else "warm"
    heat = _heat(number, largest)
    return f'<td class="heat {tone}" style="--heat:{heat}">{typeset(word)}</td>'


def _heat(number: float, largest: float) -> str:
    """How strong the colour is, from 0 to 1; nothing for an infinite number."""
    share = abs(number) / largest if largest > 0 else 0.0
    return f"{share:.3f}" if share <= 1.0 else "0"
