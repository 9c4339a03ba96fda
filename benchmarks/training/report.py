"""The report on training for people: a table per architecture, with goals and verdicts."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ..amounts import amount, megabytes
from ..reasons import NOT_INSTALLED
from ..report import ABSENT, comparison_line, machine_lines
from .contenders import Contender
from .results import TrainingRace, TrainingReport

INSTALL = "make bench-nmt"
"""What installs the peers, from a checkout."""


def pages(report: TrainingReport) -> Iterator[RenderableType]:
    """The machine, the text, a table per architecture, the summary."""
    yield machine_lines(report.machine, report.load_at_end)
    corpus, settings = report.corpus, report.settings
    yield Text(
        f"{corpus.pairs:,} pairs ({corpus.origin}), joint BPE of {corpus.vocabulary:,}, batches "
        f"of {settings.max_tokens:,} tokens as each system counts them; target tokens are those "
        "predicted: padding not counted, ends of sentences counted.",
        style="dim",
    )
    for race in report.races:
        yield race_table(race)
        for comparison in race.comparisons:
            yield Text("  ") + comparison_line(comparison)
        yield from remarks(race)
    yield Text(report.summary, style="bold")


def race_table(race: TrainingRace) -> Table:
    """A row per system."""
    table = Table(title=race.architecture.title, title_justify="left")
    table.add_column("system")
    for name in (
        "target tokens/s",
        "tokens/update",
        "padded",
        "sentences",
        "parameters",
        "peak memory",
    ):
        table.add_column(name, justify="right")
    table.add_column("versions; what runs, what it calls a batch")
    for contender in race.architecture.contenders:
        table.add_row(contender.name, *cells(race, contender))
    return table


def cells(race: TrainingRace, contender: Contender) -> list[str]:
    """The numbers of a system, or why there are none."""
    if contender.name not in race.trained:
        return [ABSENT] * 6 + [race.absent[contender.name]]
    system = race.trained[contender.name]
    versions = ", ".join(f"{name} {version}" for name, version in system.versions.items())
    return [
        f"{system.tokens_per_second:,.0f} ± {system.samples.spread:.0%}",
        f"{system.tokens_per_update:,.0f}",
        f"{system.padded_per_update:,.0f}",
        f"{system.rows_per_update:,.0f}",
        f"{system.parameters / 1e6:.1f} M",
        amount(megabytes(system.peak_bytes), "MB"),
        f"{versions}; {contender.note}",
    ]


def remarks(race: TrainingRace) -> Iterator[Text]:
    """How to install who was absent, and who did not sleep."""
    missing = [name for name, why in race.absent.items() if why == NOT_INSTALLED]
    if missing:
        yield Text(f"· {', '.join(missing)}: not installed; {INSTALL}", style="yellow")
    for name, system in race.trained.items():
        if system.restless:
            yield Text(f"· {name} used the processor while it waited", style="yellow")
