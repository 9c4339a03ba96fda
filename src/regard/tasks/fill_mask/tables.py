"""A report of models of hidden tokens as tables of rich."""

from rich.console import Group, RenderableType
from rich.text import Text

from regard.measures import Score

from ..reporting import length_table, table, versus_table
from .evaluation import Report


def tables(report: Report) -> RenderableType:
    """Scores, differences, accuracy by length."""
    names = ("system", "accuracy", "among five", "nats", "hidden", "tokens/s")
    made = table(f"{report.texts:,} texts", names)
    for one in report.systems:
        made.add_row(
            Text(one.name),
            shown(one.accuracy, 2),
            f"{one.among.value:.2f}",
            shown(one.nats, 3),
            f"{one.hidden:,}",
            f"{one.tokens_per_second:,.0f}",
        )
    parts: list[RenderableType] = [made]
    if report.versus:
        parts.append(versus_table(report.versus, decimals=2))
    lengths = [(one.name, one.lengths) for one in report.systems]
    return Group(*parts, length_table("Masked accuracy by length", lengths))


def shown(score: Score, decimals: int) -> str:
    """A number and its interval."""
    found = score.interval
    said = f" [{found.low:.{decimals}f}, {found.high:.{decimals}f}]" if found else ""
    return f"{score.value:.{decimals}f}{said}"
