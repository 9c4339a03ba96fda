"""What the reports of all topics are made of: the machine, tables, ratios with goals, remarks."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from .amounts import amount
from .goals import Goal
from .race import Comparison, RaceResult, Report, Timed
from .reasons import NOT_INSTALLED

Row = Sequence[RenderableType]

ABSENT = "-"
"""In the cell of a number that is not there."""

INSTALL = "make bench-nmt"
"""What installs the peers that have processes of their own, from a checkout."""


def header(report: Report[Any, Any]) -> RenderableType:
    """Machine, versions, command; a warning if the machine was busy."""
    machine = report.machine
    lines = Table.grid(padding=(0, 2))
    lines.add_column(style="bold")
    lines.add_column()
    lines.add_row("command", machine.command)
    lines.add_row("date", machine.date)
    lines.add_row("commit", machine.commit or "not in a checkout")
    memory = f"{machine.memory_bytes / 2**30:.0f} GiB"
    lines.add_row("machine", f"{machine.cpu}, {machine.cores} cores, {memory}, {machine.system}")
    load = " ".join(f"{value:.2f}" for value in machine.load)
    end = " ".join(f"{value:.2f}" for value in report.load_at_end)
    lines.add_row("load", f"{load} at the start, {end} at the end")
    lines.add_row("threads", str(machine.threads))
    installed = [f"{name} {version}" for name, version in machine.versions.items()]
    lines.add_row("versions", ", ".join([f"python {machine.python}", *installed]))
    if machine.warning is None:
        return lines
    return Group(lines, Text(f"Warning: {machine.warning}", style="yellow"))


def summary(report: Report[Any, Any]) -> Text:
    """How many goals were met: the last line."""
    return Text(report.summary, style="bold")


def grid(
    title: str,
    columns: Sequence[str],
    rows: Sequence[Row],
    *,
    last: str | None = None,
    names: int = 1,
) -> Table:
    """A table of numbers, which stand to the right.

    Args:
        title: above it.
        columns: their names.
        rows: their cells.
        last: one more column, of words.
        names: how many of the first columns are words.
    """
    table = Table(title=title, title_justify="left")
    for place, column in enumerate(columns):
        table.add_column(column, justify="left" if place < names else "right")
    if last is not None:
        table.add_column(last)
    for row in rows:
        table.add_row(*row)
    return table


def ratio_cell(comparisons: Sequence[Comparison]) -> Text:
    """A line per comparison."""
    return Text("\n").join(comparison_line(comparison) for comparison in comparisons)


def comparison_line(comparison: Comparison) -> Text:
    """``eager / regard, numba ≥ 30× ✓ 61.2×``: what is divided by what, and the verdict."""
    duel = comparison.duel
    peers = comparison.peer or " or ".join(duel.peers)
    what = {
        "speedup": f"{peers} / {duel.ours}",
        "slowdown": f"{duel.ours} / {peers}",
        "overhead": f"{duel.ours} − {peers}",
    }[duel.measure]
    unit = "µs" if duel.measure == "overhead" else "×"
    return Text(f"{what}  ") + verdict_text(duel.goal, comparison.value, unit)


def verdict_text(goal: Goal | None, value: float | None, unit: str) -> Text:
    """Green, red or yellow where there is a goal, plain where there is none."""
    if goal is None:
        return Text("not measured" if value is None else amount(value, unit))
    if value is None:
        return Text(goal.verdict(None), style="yellow")
    return Text(goal.verdict(value), style="green" if goal.met(value) else "bold red")


def remark(line: str) -> Text:
    """Something a reader of the numbers should know."""
    return Text(f"· {line}", style="yellow")


def process_remarks(results: Sequence[RaceResult[Any, Timed]]) -> Iterator[Text]:
    """Who was absent and how to install it, and who did not sleep; each said once."""
    said: dict[str, None] = {}
    for result in results:
        for name, why in result.absent.items():
            said[f"{name}: {why}; {INSTALL}" if why == NOT_INSTALLED else f"{name}: {why}"] = None
        for name, system in result.entrants.items():
            if system.restless:
                said[f"{name} used the processor while it waited"] = None
    yield from map(remark, said)
