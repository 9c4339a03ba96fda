"""The comparison: for people one table, in the terminal and as Markdown, for programs JSON."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from ..amounts import amount, megabytes
from ..outcome import Outcome
from ..record import document
from ..settings import Settings, Tell
from ..tables import ABSENT, grid, header, remark
from .contenders import MECHANISMS
from .figure import picture
from .results import MechanismsReport, Result
from .run import run

SCHEMA = "regard-bench-mechanisms/1"
"""Name and version of the layout; the number rises when a reader would have to change."""

COLUMNS = (
    "mechanism",
    "BLEU",
    "chrF",
    "exact",
    "AER",
    "peak memory",
    "training tokens/s",
    "updates",
    "parameters",
)


def measure(settings: Settings, tell: Tell) -> Outcome:
    """Compare, and give what the command shows."""
    return outcome(run(settings, tell=tell))


def outcome(report: MechanismsReport) -> Outcome:
    """A comparison, ready to be shown."""
    return Outcome(
        topic="mechanisms",
        data=to_json(report),
        pages=tuple(pages(report)),
        text=markdown(report),
        pictures={kind: partial(picture, report, kind) for kind in ("png", "svg")},
    )


def pages(report: MechanismsReport) -> Iterator[RenderableType]:
    """The machine, what was done, the tables."""
    yield header(report)
    yield Text(about(report), style="dim")
    yield grid("What each reached", COLUMNS, rows(report))
    yield grid("BLEU by words of the source", *lengths(report))
    yield from map(remark, missing(report))


def missing(report: MechanismsReport) -> list[str]:
    """Why a mechanism has no row."""
    return [f"{MECHANISMS[name].title}: {why}" for name, why in report.parts[0].absent.items()]


def about(report: MechanismsReport) -> str:
    """What was compared, and how."""
    ground, results = report.ground, report.parts[0].entrants
    names = " ".join(path.name for path in report.settings.data)
    text = "our grammar" if ground.task == "grammar" else names
    signatures = next((result.signatures for result in results.values()), ())
    threads = report.machine.threads
    return (
        f"Trained {ground.minutes:g} minutes each on {text}, {threads} "
        f"{'thread' if threads == 1 else 'threads'}; "
        f"measured on {ground.sentences:,} sentences, greedy. Widths are chosen so that all have "
        "as many parameters, embeddings are tied, no attention is guided. AER: reading the "
        f"reference, beside gold. {'; '.join(signatures)}"
    )


def rows(report: MechanismsReport) -> list[list[str]]:
    """A row per mechanism."""
    results = report.parts[0].entrants
    return [[MECHANISMS[name].title, *cells(result)] for name, result in results.items()]


def cells(result: Result) -> list[str]:
    """The numbers of a mechanism."""
    return [
        f"{result.bleu:.1f}",
        f"{result.chrf:.1f}",
        f"{result.exact:.1%}",
        ABSENT if result.aer is None else f"{result.aer:.1%}",
        amount(megabytes(result.peak_bytes), "MB"),
        f"{result.tokens_per_second:,.0f}",
        f"{result.updates:,}",
        f"{result.parameters / 1e6:.2f} M",
    ]


def lengths(report: MechanismsReport) -> tuple[tuple[str, ...], list[list[str]]]:
    """Columns and rows of BLEU by length."""
    results = report.parts[0].entrants
    first = next(iter(results.values()), None)
    buckets = first.lengths if first else ()
    used = [place for place, bucket in enumerate(buckets) if bucket.sentences]
    columns = ("words", *(f"{buckets[place].label} ({buckets[place].sentences})" for place in used))
    return columns, [
        [MECHANISMS[name].title, *(number(result.lengths[place].bleu) for place in used)]
        for name, result in results.items()
    ]


def number(value: float | None) -> str:
    """One digit behind the point, or a dash."""
    return ABSENT if value is None else f"{value:.1f}"


def markdown(report: MechanismsReport) -> str:
    """The same as a page."""
    machine = report.machine
    parts = [
        "# Mechanisms compared",
        f"`{machine.command}`, {machine.date[:10]}, {machine.cpu}, "
        f"torch {machine.versions.get('torch', '?')}.",
        about(report),
        markdown_table(COLUMNS, rows(report)),
        "BLEU by words of the source (sentences):",
        markdown_table(*lengths(report)),
        *missing(report),
    ]
    return "\n\n".join(parts) + "\n"


def markdown_table(columns: tuple[str, ...], found: list[list[str]]) -> str:
    """Columns of numbers to the right."""
    lines = [list(columns), ["---", *["---:"] * (len(columns) - 1)], *found]
    return "\n".join(f"| {' | '.join(cell.replace('|', '·') for cell in line)} |" for line in lines)


def to_json(report: MechanismsReport) -> dict[str, Any]:
    """Everything in ``report``, as dicts, lists, strings and numbers."""
    (race,) = report.parts
    return document(
        report,
        SCHEMA,
        **report.ground.facts(),
        mechanisms={
            name: {"title": MECHANISMS[name].title, **result.model_dump(mode="json")}
            for name, result in race.entrants.items()
        },
        absent=dict(race.absent),
    )
