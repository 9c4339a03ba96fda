"""A report about readers as tables of rich."""

from rich.console import Group as Together
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from regard.measures import Score

from ..reporting import table as titled
from .evaluation import Report, System


def tables(report: Report) -> RenderableType:
    """Scores, differences, and every group by itself."""
    parts: list[RenderableType] = [_scores(report)]
    if report.versus:
        parts.append(_versus(report))
    if len(report.systems[0].groups) > 1 or report.systems[0].support is not None:
        parts += [_groups(one) for one in report.systems]
    return Together(*parts)


def _scores(report: Report) -> Table:
    made = titled(f"{report.questions:,} questions", ("system", "exact match", "F1", "questions/s"))
    for one in report.systems:
        speed = f"{report.questions / one.seconds:,.0f}"
        made.add_row(Text(one.name), _with_interval(one.exact), _with_interval(one.f1), speed)
    return made


def _with_interval(score: Score) -> str:
    found = score.interval
    said = f" [{found.low:.2f}, {found.high:.2f}]" if found else ""
    return f"{score.value:.2f}{said}"


def _versus(report: Report) -> Table:
    title = f"Compared with {report.versus[0].first}"
    made = titled(title, ("system", "exact match", "p", "F1", "p"))
    for one in report.versus:
        cells = []
        for found in (one.exact, one.f1):
            low, high, _ = found.interval
            cells += [f"{found.difference:+.2f} [{low:+.2f}, {high:+.2f}]", f"{found.p_value:.3f}"]
        made.add_row(Text(one.second), *cells)
    return made


def _groups(one: System) -> Table:
    """Every task with its error, and where the reader looked."""
    names = ("group", "questions", "exact match", "F1", "sentences", "attention on them")
    made = titled(f"{one.name}, group by group", names)
    for group in one.groups:
        seen = "-" if group.support is None else f"{group.support:.1f} %"
        made.add_row(
            Text(group.name or "all"),
            f"{group.questions:,}",
            f"{group.exact:.1f}",
            f"{group.f1:.1f}",
            f"{group.supports:.1f}" if group.support is not None else "-",
            seen,
        )
    if len(one.groups) > 1:
        made.add_section()
        made.add_row("mean error", "", f"{one.mean_error:.2f}", "", "", "")
    return made
