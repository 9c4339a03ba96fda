"""The comparison for people: one table, in the terminal and as Markdown."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ..amounts import amount, megabytes
from ..report import ABSENT, machine_lines
from .contenders import MECHANISMS
from .results import MechanismsReport, Result

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


def pages(report: MechanismsReport) -> Iterator[RenderableType]:
    """The machine, what was done, the tables."""
    yield machine_lines(report.machine, report.load_at_end)
    yield Text(about(report), style="dim")
    yield rich_table("What each reached", COLUMNS, rows(report))
    yield rich_table("BLEU by words of the source", *lengths(report))
    for name, why in report.absent.items():
        yield Text(f"· {MECHANISMS[name].title}: {why}", style="yellow")


def about(report: MechanismsReport) -> str:
    """What was compared, and how."""
    text = "our grammar" if report.task == "grammar" else names(report)
    signatures = next((result.signatures for result in report.results.values()), ())
    threads = report.machine.threads
    return (
        f"Trained {report.minutes:g} minutes each on {text}, {threads} "
        f"{'thread' if threads == 1 else 'threads'}; "
        f"measured on {report.sentences:,} sentences, greedy. Widths are chosen so that all have "
        "as many parameters, embeddings are tied, no attention is guided. AER: reading the "
        f"reference, beside gold. {'; '.join(signatures)}"
    )


def names(report: MechanismsReport) -> str:
    """The files, without their folders."""
    return " ".join(path.name for path in report.settings.data)


def rows(report: MechanismsReport) -> list[list[str]]:
    """A row per mechanism."""
    return [[MECHANISMS[name].title, *cells(result)] for name, result in report.results.items()]


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
    results = report.results
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


def rich_table(title: str, columns: tuple[str, ...], found: list[list[str]]) -> Table:
    """For the terminal."""
    table = Table(title=title, title_justify="left")
    for place, column in enumerate(columns):
        table.add_column(column, justify="right" if place else "left")
    for row in found:
        table.add_row(*row)
    return table


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
        *(f"{MECHANISMS[name].title}: {why}" for name, why in report.absent.items()),
    ]
    return "\n\n".join(parts) + "\n"


def markdown_table(columns: tuple[str, ...], found: list[list[str]]) -> str:
    """Columns of numbers to the right."""
    lines = [list(columns), ["---", *["---:"] * (len(columns) - 1)], *found]
    return "\n".join(f"| {' | '.join(cell.replace('|', '·') for cell in line)} |" for line in lines)
