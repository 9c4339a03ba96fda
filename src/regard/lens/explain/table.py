"""An explanation as tables for rich, as wide as the terminal allows."""

from collections.abc import Iterator
from dataclasses import dataclass

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from .layout import (
    Column,
    Line,
    Panel,
    check_readable,
    sections,
    subscript,
    subtitle,
)
from .record import Explanation
from .text import bands, cells, choices, format_vector, line_words, panel_title, shown_title

BAR_WIDTH = 12
EIGHTHS = " ▏▎▍▌▋▊▉"
ACCENT = "cyan"


@dataclass(frozen=True)
class Tables:
    """The four choices, then one table per query, then gradients if there are any."""

    explanation: Explanation
    precision: int = 4

    def __post_init__(self) -> None:
        check_readable(self.explanation, self.precision)

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        yield _choices(self.explanation)
        for section in sections(self.explanation):
            if section.heading:
                yield Text(f"\n{section.heading}", style="bold")
            yield from (Text(note, style="dim italic") for note in section.notes)
            for panel in section.panels:
                yield from self._panel(panel, section.shared, options.max_width)

    def _panel(self, panel: Panel, shared: bool, width: int) -> Iterator[RenderableType]:
        yield Text(f"\n{panel_title(panel)}", style="bold")
        yield from (self._line(line, panel.row) for line in panel.lines)
        yield from _grids(panel, self.precision, shared, width)
        if panel.context is not None:
            yield self._line(panel.context, panel.row, f"bold {ACCENT}")

    def _line(self, line: Line, row: int | None, style: str = "") -> Text:
        before, after = line_words(line, row)
        numbers = format_vector(line.vector, self.precision)
        return Text.assemble(before, " ", (numbers, style), "  ", (after, "dim"))


def bar(weight: float, whole: float) -> str:
    """A bar as long as ``weight`` is of ``whole``, to an eighth of a character."""
    if not (whole > 0 and weight > 0):
        return ""
    eighths = round(min(weight / whole, 1.0) * BAR_WIDTH * 8)
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def _choices(explanation: Explanation) -> Table:
    grid = Table.grid(padding=(0, 2))
    for stage, choice, equation in choices(explanation):
        grid.add_row(Text(stage, style="dim"), Text(choice, style="bold"), Text(equation))
    return grid


def _grids(panel: Panel, precision: int, shared: bool, width: int) -> Iterator[Table]:
    """The columns of a panel in as many tables as the width asks for."""
    bodies = [cells(part, precision) for part in panel.columns]
    widths = [_width(part, body, shared) for part, body in zip(panel.columns, bodies, strict=True)]
    left = len(subscript("k", max(len(body) for body in bodies))) + 2 if bodies else 0
    for band in bands(widths, width - left):
        columns, own = [panel.columns[i] for i in band], [bodies[i] for i in band]
        yield _grid(columns, own, panel.shut, shared)


def _width(part: Column, body: list[str], shared: bool) -> int:
    title, below = shown_title(part.step, shared=shared), subtitle(part.step)
    own = max(map(len, [title, below, *body]))
    return own + (2 + BAR_WIDTH if part.step.name == "weights" else 0)


def _grid(
    columns: list[Column], bodies: list[list[str]], shut: frozenset[int], shared: bool
) -> Table:
    """One table; the keys that the mask closes are dim."""
    summed = any(part.total is not None for part in columns)
    grid = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_footer=summed)
    grid.add_column("", footer="Σ", style="dim", no_wrap=True)
    contents: list[list[str]] = []
    for part, body in zip(columns, bodies, strict=True):
        weighty = part.step.name == "weights"
        style = f"bold {ACCENT}" if weighty else ""
        foot = Text(body[-1], style="bold")
        grid.add_column(_head(part, shared), foot, justify="right", style=style, no_wrap=True)
        contents.append(body[:-1])
        if weighty:
            grid.add_column("", style=ACCENT, min_width=BAR_WIDTH, no_wrap=True)
            contents.append([bar(cell[0], max(1.0, part.step.largest)) for cell in part.cells])
    for position, row in enumerate(zip(*contents, strict=True)):
        shade = "dim" if position in shut else ""
        grid.add_row(subscript("k", position), *map(Text, row), style=shade)
    return grid


def _head(part: Column, shared: bool) -> Text:
    head = Text(shown_title(part.step, shared=shared), style="bold", justify="right")
    return head.append(f"\n{subtitle(part.step)}", style="not bold dim")
