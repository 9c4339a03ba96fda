"""A report as tables of rich."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ..reporting import length_table, table, versus_table
from .evaluation import Report, System

MOST = 24
"""Labels of a confusion matrix that are shown at most."""


def tables(report: Report) -> RenderableType:
    """Scores, differences, labels, lengths, and what was taken for what."""
    parts: list[RenderableType] = [*map(Text, report.notes), _scores(report)]
    if report.versus:
        parts.append(versus_table(report.versus, decimals=2))
    if report.systems[0].lengths:
        lengths = [(one.name, one.lengths) for one in report.systems]
        parts.append(length_table("Accuracy by length", lengths))
    for one in report.systems:
        parts += (
            [_labels(one), _confusion(one)] if len(one.labels.classes) <= MOST else [_labels(one)]
        )
    return Group(*parts)


def _scores(report: Report) -> Table:
    made = table(
        f"{report.texts:,} {report.things}, {report.targets:,} labels",
        ("system", "accuracy", "macro F1", "all right", f"{report.steps}/s"),
    )
    for one in report.systems:
        found = one.accuracy.interval
        said = f" [{found.low:.2f}, {found.high:.2f}]" if found else ""
        made.add_row(
            Text(one.name),
            f"{one.accuracy.value:.2f}{said}",
            f"{100 * one.labels.macro:.2f}",
            f"{one.exact:.2f}",
            f"{one.tokens / one.seconds:,.0f}",
        )
    return made


def _labels(one: System) -> Table:
    made = table(f"Labels of {one.name}", ("label", "precision", "recall", "F1", "gold"))
    for label, score in sorted(one.labels.classes.items(), key=lambda item: -item[1].gold):
        shares = (score.precision, score.recall, score.f1)
        made.add_row(Text(str(label)), *[f"{100 * x:.1f}" for x in shares], f"{score.gold:,}")
    return made


def _confusion(one: System) -> Table:
    names = [str(label) for label in one.confusion.labels]
    made = table(f"What {one.name} took for what", ("gold, then found", *names))
    for name, row in zip(names, one.confusion.counts, strict=True):
        made.add_row(Text(name), *[str(count) if count else "·" for count in row])
    return made
