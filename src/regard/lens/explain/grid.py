"""The tables of the HTML page."""

from html import escape

from .layout import Column, Panel, subscript, subtitle
from .numbers import column, typeset
from .text import shown_title

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
