"""A report of models of regions as tables."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from regard.measures import Score

from .report import Report, System


def tables(report: Report) -> RenderableType:
    """All of it."""
    parts = [_systems(report)]
    if report.versus:
        parts.append(_versus(report))
    parts += [_classes(one) for one in report.systems]
    parts += [_attended(one) for one in report.systems if one.attended]
    return Group(*parts)


def _table(title: str, columns: Sequence[str]) -> Table:
    made = Table(title=Text(title), title_justify="left")
    for number, column in enumerate(columns):
        made.add_column(Text(column), justify="right" if number else "left")
    return made


def _said(score: Score) -> str:
    found = score.interval
    return f"{score.value:.2f}" + (f" [{found.low:.2f}, {found.high:.2f}]" if found else "")


def _systems(report: Report) -> Table:
    measures = list(report.systems[0].measures)
    title = f"{report.task}, {report.systems[0].pictures:,} pictures"
    made = _table(title, ("system", *measures, "pictures/s"))
    for one in report.systems:
        speed = one.pictures / max(one.seconds, 1e-9)
        made.add_row(
            Text(one.name), *[_said(one.measures[name]) for name in measures], f"{speed:,.1f}"
        )
    return made


def _versus(report: Report) -> Table:
    made = _table(f"Compared with {report.versus[0].first}", ("system", "measure", "difference"))
    for one in report.versus:
        low, high, _ = one.interval
        made.add_row(
            Text(one.second), one.measure, f"{one.difference:+.2f} [{low:+.2f}, {high:+.2f}]"
        )
    return made


def _classes(one: System) -> Table:
    measures = list(next(iter(one.classes.values()), {}))
    made = _table(f"Labels of {one.name}", ("label", *measures))
    for label, scores in one.classes.items():
        made.add_row(Text(label), *[f"{scores[name]:.1f}" for name in measures])
    return made


def _attended(one: System) -> Table:
    columns = ("gate", "pointing game", "at random", "IoU")
    made = _table(f"Where {one.name} looked", columns)
    for gate in one.attended:
        made.add_row(Text(gate.name), _said(gate.pointing), f"{gate.chance:.2f}", f"{gate.iou:.2f}")
    return made
