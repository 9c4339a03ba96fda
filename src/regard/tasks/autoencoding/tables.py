"""A report of autoencoders as tables of rich."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from regard.measures import Score

from ..reporting import length_table, table, versus_table
from .evaluation import Report

TITLES = {
    "exact": ("exact, %", 2),
    "token_accuracy": ("tokens, %", 2),
    "psnr": ("PSNR, dB", 2),
    "squared_error": ("squared error", 6),
}
"""Of measures, and their decimals."""


def tables(report: Report) -> RenderableType:
    """Scores with intervals, differences, and texts that came back by length."""
    parts: list[RenderableType] = [_scores(report)]
    if report.versus:
        parts.append(versus_table(report.versus, decimals=2))
    if report.systems[0].lengths:
        lengths = [(one.name, one.lengths) for one in report.systems]
        parts.append(length_table("Back exactly, in percent, by length", lengths))
    return Group(*parts)


def _scores(report: Report) -> Table:
    names = list(report.systems[0].scores)
    titles = [TITLES[name][0] for name in names]
    made = table(f"{report.size:,} {report.things}", ("system", *titles, f"{report.things}/s"))
    for one in report.systems:
        cells = [_shown(one.scores[name], TITLES[name][1]) for name in names]
        made.add_row(Text(one.name), *cells, f"{report.size / one.seconds:,.0f}")
    return made


def _shown(score: Score, decimals: int) -> str:
    if score.interval is None:
        return f"{score.value:.{decimals}f}"
    low, high, _ = score.interval
    return f"{score.value:.{decimals}f} [{low:.{decimals}f}, {high:.{decimals}f}]"
