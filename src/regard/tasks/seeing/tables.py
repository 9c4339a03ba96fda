"""Reports about models that look at pictures, as tables of rich."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from regard.measures import Score

from ..reporting import table as titled

if TYPE_CHECKING:
    from .report import PictureReport


def tables(report: "PictureReport") -> RenderableType:
    """Scores, differences, and what there is more."""
    parts: list[RenderableType] = [_scores(report)]
    if report.versus:
        parts.append(_versus(report))
    for one in report.systems:
        for table in one.tables.values():
            rows = [[_cell(value) for value in row] for row in table.rows]
            title = table.title if len(report.systems) == 1 else f"{table.title}: {one.name}"
            parts.append(_table(title, table.heads, rows))
    return Group(*parts)


def _scores(report: "PictureReport") -> Table:
    names = list(dict.fromkeys(name for one in report.systems for name in one.counted))
    rows = []
    for one in report.systems:
        found = one.scores(report.resampling)
        told = [_score(found[name]) if name in found else "-" for name in names]
        rows.append([one.name, *told, f"{report.pictures / one.seconds:,.1f}"])
    title = f"{report.pictures:,} pictures"
    if report.questions != report.pictures:
        title += f", {report.questions:,} questions"
    return _table(title, ("system", *names, "pictures/s"), rows)


def _versus(report: "PictureReport") -> Table:
    rows = []
    for one in report.versus:
        low, high, _ = one.comparison.interval
        change = f"{one.comparison.difference:+.2f} [{low:+.2f}, {high:+.2f}]"
        rows.append([one.second, one.measure, change, f"{one.comparison.p_value:.3f}"])
    title = f"Compared with {report.versus[0].first}"
    return _table(title, ("system", "measure", "difference", "p"), rows)


def _table(title: str, names: Iterable[str], rows: Iterable[Iterable[str]]) -> Table:
    made = titled(title, names)
    for row in rows:
        made.add_row(*map(Text, row))
    return made


def _score(one: Score) -> str:
    """With its interval, if there is one."""
    if one.interval is None:
        return f"{one.value:.2f}"
    return f"{one.value:.2f} [{one.interval.low:.2f}, {one.interval.high:.2f}]"


def _cell(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:,.4g}"
