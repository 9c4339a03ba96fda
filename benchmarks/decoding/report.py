"""The report on decoding: for people a row per way to translate, for programs JSON."""

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ..amounts import amount, megabytes
from ..outcome import Outcome
from ..record import document, race_json, timed_json
from ..settings import Settings, Tell
from ..tables import ABSENT, Row, grid, header, process_remarks, ratio_cell, remark, summary
from .contenders import CONTENDERS
from .run import DecodingRace, DecodingReport, run

SCHEMA = "regard-bench-decoding/1"
"""Name and version of the layout; the number rises when a reader would have to change."""

AGREE = 0.9
"""A share of equal answers below which systems did not do the same work."""


def measure(settings: Settings, tell: Tell) -> Outcome:
    """Translate, and give what the command shows."""
    report = run(settings, tell=tell)
    return Outcome("decoding", to_json(report), tuple(pages(report)), report.verdicts)


def pages(report: DecodingReport) -> Iterator[RenderableType]:
    """The machine, the model, the table, the summary."""
    yield header(report)
    yield Text(about(report), style="dim")
    yield table(report)
    yield from remarks(report)
    yield summary(report)


def about(report: DecodingReport) -> str:
    """What was translated, with what, and what counts."""
    prepared = report.ground.prepared
    config = prepared.config
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
    names = [contender.name for contender in CONTENDERS]
    rows: list[Row] = [
        [race.race.what.label, *(cell(race, name) for name in names), ratio_cell(race.comparisons)]
        for race in report.parts
    ]
    title = "generated tokens/s, median ± spread"
    return grid(title, ["way", *names], rows, last="ratio, goal and verdict")


def cell(race: DecodingRace, name: str) -> str:
    """Speed and spread, or a dash for who was not there."""
    system = race.entrants.get(name)
    return ABSENT if system is None else f"{system.rate:,.0f} ± {system.samples.spread:.0%}"


def remarks(report: DecodingReport) -> Iterator[Text]:
    """Who runs what, who was absent or did not sleep, who answered otherwise."""
    for contender in CONTENDERS:
        name, versions = contender.name, report.ground.versions.get(contender.name, {})
        told = ", ".join(f"{package} {version}" for package, version in versions.items())
        peaks = [race.entrants[name].peak_bytes for race in report.parts if name in race.entrants]
        if peaks:
            peak = amount(megabytes(max(peaks)), "MB")
            yield Text(f"· {name}: {contender.note}; {told}; peak {peak}", style="dim")
    yield from process_remarks(report.parts)
    for race in report.parts:
        for name, system in race.entrants.items():
            share = system.about["agreement"]
            if share < AGREE:
                label = race.race.what.label
                yield remark(f"{label}: {share:.0%} of the answers of {name} equal ours")


def to_json(report: DecodingReport) -> dict[str, Any]:
    """Everything in ``report``, as dicts, lists, strings and numbers."""
    prepared, versions = report.ground
    model = prepared._asdict() | {"config": prepared.config.model_dump(mode="json")}
    del model["folder"]  # gone by now
    systems = {
        one.name: {"note": one.note, "versions": versions.get(one.name)} for one in CONTENDERS
    }
    races = [race_json(race, "times", timed_json) for race in report.parts]
    return document(report, SCHEMA, model=model, systems=systems, races=races)
