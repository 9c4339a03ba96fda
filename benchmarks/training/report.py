"""The report on training: for people a table per architecture, for programs JSON."""

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ..amounts import amount, megabytes
from ..outcome import Outcome
from ..processes import Contender
from ..race import Timed
from ..record import document, race_json, timed_json
from ..settings import Settings, Tell
from ..tables import ABSENT, comparison_line, grid, header, process_remarks, summary
from .run import TrainingRace, TrainingReport, run

SCHEMA = "regard-bench-training/1"
"""Name and version of the layout; the number rises when a reader would have to change."""

COLUMNS = (
    "system",
    "target tokens/s",
    "tokens/update",
    "padded",
    "sentences",
    "parameters",
    "peak memory",
)
PER_UPDATE = {
    "target_tokens_per_update": "target_tokens",
    "padded_tokens_per_update": "padded",
    "sentences_per_update": "rows",
}


def measure(settings: Settings, tell: Tell) -> Outcome:
    """Train, and give what the command shows."""
    report = run(settings, tell=tell)
    return Outcome("training", to_json(report), tuple(pages(report)), report.verdicts)


def pages(report: TrainingReport) -> Iterator[RenderableType]:
    """The machine, the text, a table per architecture, the summary."""
    yield header(report)
    corpus = report.ground
    yield Text(
        f"{corpus.pairs:,} pairs ({corpus.origin}), joint BPE of {corpus.vocabulary:,}, batches "
        f"of {report.settings.max_tokens:,} tokens as each system counts them; target tokens are "
        "those predicted: padding not counted, ends of sentences counted.",
        style="dim",
    )
    for result in report.parts:
        yield race_table(result)
        for comparison in result.comparisons:
            yield Text("  ") + comparison_line(comparison)
        yield from process_remarks([result])
    yield summary(report)


def race_table(result: TrainingRace) -> Table:
    """A row per system."""
    architecture = result.race.what
    rows = [[one.name, *cells(result, one)] for one in architecture.contenders]
    last = "versions; what runs, what it calls a batch"
    return grid(architecture.title, COLUMNS, rows, last=last)


def cells(result: TrainingRace, contender: Contender) -> list[str]:
    """The numbers of a system, or why there are none."""
    if contender.name not in result.entrants:
        return [ABSENT] * (len(COLUMNS) - 1) + [result.absent[contender.name]]
    system = result.entrants[contender.name]
    versions = ", ".join(f"{name} {one}" for name, one in system.about["versions"].items())
    return [
        f"{system.rate:,.0f} ± {system.samples.spread:.0%}",
        *(f"{value:,.0f}" for value in per_update(system).values()),
        f"{system.about['parameters'] / 1e6:.1f} M",
        amount(megabytes(system.peak_bytes), "MB"),
        f"{versions}; {contender.note}",
    ]


def per_update(system: Timed) -> dict[str, float]:
    """What an update holds: tokens, padded tokens, sentences."""
    return {name: system.per(count, "updates") for name, count in PER_UPDATE.items()}


def to_json(report: TrainingReport) -> dict[str, Any]:
    """Everything in ``report``, as dicts, lists, strings and numbers."""
    corpus = report.ground._asdict()
    del corpus["folder"]  # gone by now
    races = [race_json(race, "systems", system_json) for race in report.parts]
    return document(report, SCHEMA, corpus=corpus, races=races)


def system_json(system: Timed) -> dict[str, Any]:
    """Every turn of a system."""
    return timed_json(system) | per_update(system)
