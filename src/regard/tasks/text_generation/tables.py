"""A report of language models as tables of rich."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ..reporting import table, versus_table
from .evaluation import Figure, Report


def tables(report: Report) -> RenderableType:
    """Scores with intervals, differences, and nats by how much was read."""
    names = ("system", "bits per character", "nats per token", "perplexity", "tokens", "window")
    made = table("Surprise", names)
    for name, one in report.systems.items():
        figures = one.bits_per_character, one.nats_per_token, one.perplexity
        shown = [_shown(*each) for each in zip(figures, (3, 3, 2), strict=True)]
        made.add_row(Text(name), *shown, f"{one.tokens:,}", f"{one.window:,}")
    more = [versus_table(report.versus, decimals=3)] if report.versus else []
    return Group(made, *more, *_by_place(report))


def _by_place(report: Report) -> list[Table]:
    """A table where all have windows of one length, one each where they have not."""
    kinds: dict[int, list[str]] = {}
    for name, one in report.systems.items():
        kinds.setdefault(one.window, []).append(name)
    found = []
    for names in kinds.values():
        made = table("Nats per token by what was read before it", ("place", *names))
        stretches = [report.systems[name].by_place for name in names]
        for row in zip(*stretches, strict=True):
            place = f"{row[0].first}" if len(row) and row[0].first == row[0].last else ""
            place = place or f"{row[0].first}–{row[0].last}"
            made.add_row(place, *[f"{one.nats:.3f}" for one in row])
        found.append(made)
    return found


def _shown(figure: Figure, decimals: int) -> str:
    low, high, _ = figure.interval
    return f"{figure.value:.{decimals}f} [{low:.{decimals}f}, {high:.{decimals}f}]"
