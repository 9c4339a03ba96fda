"""The report for people: tables with a ratio, a goal and a verdict in every row."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from .amounts import amount, megabytes, milliseconds
from .goals import Goal
from .machine import Machine
from .memory import Peak
from .reasons import NOT_INSTALLED, judged
from .results import (
    Comparison,
    CurveResult,
    ProbeResult,
    RaceResult,
    Report,
    Section,
    probe_verdicts,
)
from .timing import Samples

ABSENT = "-"
"""In the cell of a number that is not there."""

DISAGREES = 1e-3
"""A relative difference of answers that is worth a word."""


def header(report: Report) -> RenderableType:
    """Machine, versions, command; a warning if the machine was busy."""
    return machine_lines(report.machine, report.load_at_end)


def machine_lines(machine: Machine, load_at_end: tuple[float, float, float]) -> RenderableType:
    """The same from its parts."""
    lines = Table.grid(padding=(0, 2))
    lines.add_column(style="bold")
    lines.add_column()
    lines.add_row("command", machine.command)
    lines.add_row("date", machine.date)
    lines.add_row("commit", machine.commit or "not in a checkout")
    memory = f"{machine.memory_bytes / 2**30:.0f} GiB"
    lines.add_row("machine", f"{machine.cpu}, {machine.cores} cores, {memory}, {machine.system}")
    load = " ".join(f"{value:.2f}" for value in machine.load)
    end = " ".join(f"{value:.2f}" for value in load_at_end)
    lines.add_row("load", f"{load} at the start, {end} at the end")
    lines.add_row("threads", str(machine.threads))
    installed = [f"{name} {version}" for name, version in machine.versions.items()]
    lines.add_row("versions", ", ".join([f"python {machine.python}", *installed]))
    if machine.warning is None:
        return lines
    return Group(lines, Text(f"Warning: {machine.warning}", style="yellow"))


def tables(report: Report) -> Iterator[RenderableType]:
    """The report section by section."""
    for section in report.sections:
        yield Text(section.suite.title, style="bold underline")
        yield Text(f"{section.suite.note} Took {section.seconds:.0f} s.", style="dim")
        for group in groups(section.races):
            yield race_table(group)
        if section.curves:
            yield curve_table(section.curves)
        if section.probes:
            yield probe_table(section.probes)
        yield from remarks(section)
    yield Text(report.summary, style="bold")


def groups(races: Sequence[RaceResult]) -> Iterator[list[RaceResult]]:
    """Neighbouring races with the same title share a table."""
    group: list[RaceResult] = []
    for result in races:
        if group and group[-1].race.case.title != result.race.case.title:
            yield group
            group = []
        group.append(result)
    if group:
        yield group


def race_table(results: Sequence[RaceResult]) -> Table:
    """A row per size and pass, a column per system, then the ratios with their goals."""
    names = list(dict.fromkeys(name for result in results for name in result.race.systems))
    table = Table(title=f"{results[0].race.case.title}: median ms ± spread", title_justify="left")
    table.add_column("B×H×N×D")
    table.add_column("pass")
    for name in names:
        table.add_column(name, justify="right")
    table.add_column("ratio, goal and verdict")
    for result in results:
        case = result.race.case
        cells = [time_cell(result, name) for name in names]
        table.add_row(case.size, case.work, *cells, ratio_cell(result.comparisons))
    return table


def time_cell(result: RaceResult, name: str) -> str:
    """``11.7 ± 2 %``, or a dash for who was not there."""
    if name not in result.samples:
        return ABSENT
    samples: Samples = result.samples[name]
    return f"{milliseconds(samples.median)} ± {samples.spread:.0%}"


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


def curve_table(results: Sequence[CurveResult]) -> Table:
    """A row per curve: the values, the exponent, the exponent of the last doubling."""
    table = Table(title="Growth with N", title_justify="left")
    for name in ("mechanism", "pass", "quantity", "system", "values"):
        table.add_column(name)
    table.add_column("last two", justify="right")
    table.add_column("exponent, goal and verdict")
    for result in results:
        curve = result.curve
        case = curve.cases[0]
        last = ABSENT if result.last is None else f"{result.last:.2f}"
        verdict = verdict_text(curve.goal, judged(result.exponent, result.absent), "")
        values = curve_values(result)
        table.add_row(case.title, case.work, curve.quantity, curve.system, values, last, verdict)
    return table


def curve_values(result: CurveResult) -> str:
    """``1024: 11.7 ms, 2048: 46.1 ms``."""
    in_time = result.curve.quantity == "time"
    shown = [value * 1e3 if in_time else megabytes(value) for value in result.values]
    unit = "ms" if in_time else "MB"
    pairs = zip(result.sizes, shown, strict=True)
    return ", ".join(f"{size}: {amount(value, unit)}" for size, value in pairs) or ABSENT


def probe_table(results: Sequence[ProbeResult]) -> Table:
    """A row per probe: memory and time, each with its goal."""
    table = Table(title="One call in its own process", title_justify="left")
    for name in ("what", "peak memory", "time", "goals and verdicts"):
        table.add_column(name)
    for result in results:
        peak, timed = result.peak, result.timed
        memory = amount(megabytes(peak.bytes), "MB") if isinstance(peak, Peak) else peak.reason
        if isinstance(timed, Peak):
            seconds = ABSENT if timed.seconds is None else amount(timed.seconds, "s")
        else:
            seconds = timed.reason
        goals = [verdict_text(v.goal, v.value, v.goal.unit) for v in probe_verdicts(result)]
        table.add_row(result.probe.title, memory, seconds, Text("\n").join(goals))
    return table


def remarks(section: Section) -> Iterator[Text]:
    """Who was absent and why, and who gave another answer; each said once."""
    said: dict[str, None] = {}
    for result in section.races:
        for name, why in result.absent.items():
            said[f"{name}, {result.race.case.work}: {advised(why)}"] = None
        for name, share in result.disagreement.items():
            if not share <= DISAGREES:
                case = result.race.case
                said[
                    f"{name} differs by {share:.1e} from {result.race.systems[0]}: "
                    f"{case.title} {case.size}, {case.work}"
                ] = None
    for curve in section.curves:
        if curve.absent:
            said[f"{curve.curve.system}, {curve.curve.quantity}: {advised(curve.absent)}"] = None
    for line in said:
        yield Text(f"· {line}", style="yellow")


def advised(why: str) -> str:
    """The reason, with what to do about it."""
    return f"{why}; pip install 'regard[bench]'" if why == NOT_INSTALLED else why
