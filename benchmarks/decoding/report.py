"""The report on decoding for people: a row per way to translate, with goals and verdicts."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ..amounts import amount, megabytes
from ..reasons import NOT_INSTALLED
from ..report import ABSENT, machine_lines, ratio_cell
from ..training.report import INSTALL
from .contenders import CONTENDERS
from .results import DecodingRace, DecodingReport

AGREE = 0.9
"""A share of equal answers below which systems did not do the same work."""


def pages(report: DecodingReport) -> Iterator[RenderableType]:
    """The machine, the model, the table, the summary."""
    yield machine_lines(report.machine, report.load_at_end)
    yield Text(about(report), style="dim")
    yield table(report)
    yield from remarks(report)
    yield Text(report.summary, style="bold")


def about(report: DecodingReport) -> str:
    """What was translated, with what, and what counts."""
    prepared, config = report.prepared, report.prepared.config
    return (
        f"{prepared.sources:,} sources of {prepared.tokens / prepared.sources:.1f} tokens "
        f"({prepared.origin}); Transformer {config.model_dim} × {config.encoder_layers}+"
        f"{config.decoder_layers}, feed-forward {config.hidden_dim}, {config.target_vocab:,} "
        f"tokens, {prepared.parameters / 1e6:.1f} M parameters, norms {config.norm} "
        f"({prepared.model}). {ends(report.settings.forced)}; tokens of the best hypothesis count."
    )


def ends(forced: int | None) -> str:
    """Where answers end."""
    if forced is None:
        return "Answers end where the model ends them"
    return f"Every answer is forced to {forced} tokens, so that all systems write as many"


def table(report: DecodingReport) -> Table:
    """A row per way, a column per system."""
    found = Table(title="generated tokens/s, median ± spread", title_justify="left")
    found.add_column("way")
    for contender in CONTENDERS:
        found.add_column(contender.name, justify="right")
    found.add_column("ratio, goal and verdict")
    for race in report.races:
        cells = [cell(race, contender.name) for contender in CONTENDERS]
        found.add_row(race.way.title, *cells, ratio_cell(race.comparisons))
    return found


def cell(race: DecodingRace, name: str) -> str:
    """Speed and spread, or a dash for who was not there."""
    system = race.decoded.get(name)
    if system is None:
        return ABSENT
    return f"{system.tokens_per_second:,.0f} ± {system.samples.spread:.0%}"


def remarks(report: DecodingReport) -> Iterator[Text]:
    """Who runs what, who was absent, who answered otherwise, who did not sleep."""
    for contender in CONTENDERS:
        versions = report.versions.get(contender.name, {})
        told = ", ".join(f"{name} {version}" for name, version in versions.items())
        peaks = [
            race.decoded[contender.name].peak_bytes
            for race in report.races
            if contender.name in race.decoded
        ]
        if peaks:
            peak = amount(megabytes(max(peaks)), "MB")
            yield Text(f"· {contender.name}: {contender.note}; {told}; peak {peak}", style="dim")
    absent = {name: why for race in report.races for name, why in race.absent.items()}
    for name, why in absent.items():
        how = f"; {INSTALL}" if why == NOT_INSTALLED else ""
        yield Text(f"· {name}: {why}{how}", style="yellow")
    for race in report.races:
        for name, system in race.decoded.items():
            if system.agreement < AGREE:
                share = f"{system.agreement:.0%} of the answers of {name} equal ours"
                yield Text(f"· {race.way.title}: {share}", style="yellow")
            if system.restless:
                yield Text(f"· {name} used the processor while it waited", style="yellow")
