"""An explanation as plain text, and the words every other view shares with it."""

from collections.abc import Sequence

from .layout import Column, Line, Panel, column, sections, subscript, too_large
from .record import Explanation, Step

MOST_NUMBERS_IN_A_CELL = 8
WIDTH = 100


def text(explanation: Explanation, precision: int = 4) -> str:
    """Plain text; for an explanation nobody could read, the sentence that says so."""
    sentence = too_large(explanation)
    if sentence is not None:
        return sentence
    named = choices(explanation)
    wide = max(len(choice) for _, choice, _ in named)
    parts = [f"{stage:<9}  {choice:<{wide}}  {equation}" for stage, choice, equation in named]
    for section in sections(explanation):
        parts += ["", *section.notes] if section.heading else section.notes
        for panel in section.panels:
            parts += ["", *_panel(panel, precision, section.shared)]
    return "\n".join(parts)


def choices(explanation: Explanation) -> list[tuple[str, str, str]]:
    """The choices made: stage, value, equation."""
    found = [("score", explanation.score, explanation["scores"].equation)]
    if explanation.mask is not None:
        found.append(("mask", explanation.mask, explanation["masked_scores"].equation))
    found.append(("normalise", explanation.normalise, explanation["weights"].equation))
    found.append(("pool", "weighted sum", explanation["context"].equation))
    return found


def shown_title(step: Step, *, shared: bool) -> str:
    """The title of a step; ``shared``: the values are the keys, and one column shows both."""
    if shared and step.name == "key":
        return "key = value"
    return step.title.removeprefix("gradient ")


def line_words(line: Line, row: int | None) -> tuple[str, str]:
    """What stands before the numbers of a line, ``q₁ =``, and after them."""
    step = line.step
    name = shown_title(step, shared=False)
    return (
        f"{subscript(step.symbol, row or 0)} =",
        name if step.equation in ("given", step.symbol) else f"{name}: {step.equation}",
    )


def panel_title(panel: Panel) -> str:
    """Which query, which part of the leading axes."""
    own = "keys" if panel.row is None else f"query {panel.row + 1}"
    return f"{own}, {panel.title}" if panel.title else own


def cells(part: Column, precision: int) -> list[str]:
    """The cells of a column and, last, its total (empty if it has none)."""
    rows = [*part.cells] if part.total is None else [*part.cells, part.total]
    kept = [shorten(row) for row in rows]
    flat = column((number for row in kept for number in row if number is not None), precision)
    wide = max(map(len, flat), default=0)
    words = iter(flat)
    lines = [
        "  ".join("…" if number is None else f"{next(words):>{wide}}" for number in row)
        for row in kept
    ]
    return lines if part.total is not None else [*lines, ""]


def shorten(vector: list[float]) -> list[float | None]:
    """A vector with its middle left out if it is long; ``None`` marks the gap."""
    if len(vector) <= MOST_NUMBERS_IN_A_CELL:
        return [*vector]
    return [*vector[: MOST_NUMBERS_IN_A_CELL - 2], None, vector[-1]]


def format_vector(vector: list[float], precision: int) -> str:
    """A vector in brackets."""
    kept = shorten(vector)
    words = iter(column((number for number in kept if number is not None), precision))
    return "[" + ", ".join("…" if number is None else next(words) for number in kept) + "]"


def bands(widths: Sequence[int], limit: int) -> list[range]:
    """Neighbouring columns that fit side by side into ``limit`` characters, two between them."""
    found: list[range] = []
    start, used = 0, 0
    for i, width in enumerate(widths):
        if i > start and used + width + 2 > limit:
            found.append(range(start, i))
            start, used = i, 0
        used += width + 2
    return [*found, range(start, len(widths))] if widths else []


def _panel(panel: Panel, precision: int, shared: bool) -> list[str]:
    lines = [panel_title(panel)]
    lines += [_line(line, panel.row, precision) for line in panel.lines]
    lines += _grid(panel, precision, shared)
    if panel.context is not None:
        lines.append(_line(panel.context, panel.row, precision))
    return lines


def _line(line: Line, row: int | None, precision: int) -> str:
    before, after = line_words(line, row)
    return f"{before} {format_vector(line.vector, precision)}  {after}"


def _grid(panel: Panel, precision: int, shared: bool) -> list[str]:
    count = len(panel.columns[0].cells) if panel.columns else 0
    names = ["", *(subscript("k", i) for i in range(count)), "Σ"]
    parts = [
        [shown_title(part.step, shared=shared), *cells(part, precision)] for part in panel.columns
    ]
    widths = [max(map(len, part)) for part in parts]
    left = max(map(len, names))
    lines = []
    for band in bands(widths, WIDTH - left):
        summed = any(parts[i][-1] for i in band)
        for place, name in enumerate(names if summed else names[:-1]):
            row = (f"{parts[i][place]:>{widths[i]}}" for i in band)
            lines.append("  ".join([f"{name:<{left}}", *row]).rstrip())
    return lines
