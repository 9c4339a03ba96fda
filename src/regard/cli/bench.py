"""``regard bench``: measure regard beside its peers."""

import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from ..errors import MissingExtraError

if TYPE_CHECKING:
    from rich.console import Console

    from ..bench.results import Report

GOAL_MISSED = 1
"""The exit code of ``--strict`` when a goal is missed."""

WIDTH_OF_A_FILE = 180
"""Columns when stderr is no terminal; the tables are wide."""

Switch = Annotated[bool, Parameter(negative=())]


def bench(
    topic: Literal["kernels", "modules"],
    /,
    *,
    quick: Switch = False,
    only: str | None = None,
    repeats: int | None = None,
    threads: int = 2,
    out: Path | None = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
    strict: Switch = False,
) -> int:
    """Measure regard and its peers, interleaved in one run, and hold the ratios to their goals.

    Tables go to stderr; a JSON file with every sample and a PNG go to a folder.
    Peers which are not installed are named and left out: pip install 'regard[bench]'.

    Args:
        topic: what to measure: functions, or whole modules.
        quick: fewer sizes and rounds, under 10 minutes.
        only: some of additive,entmax,window,default,lowered,weigh (kernels) or
            layer,decoder,steps (modules); all if not given.
        repeats: rounds per race; as many as fit a few seconds if not given.
        threads: of torch, for everybody.
        out: folder for the results; bench-results/<date> if not given.
        as_json: print the JSON on stdout too.
        strict: exit with 1 when a goal is missed.
    """
    from rich.console import Console

    from ..bench.files import results_folder
    from ..bench.record import to_json
    from ..bench.results import Settings
    from ..bench.run import run

    names = tuple(filter(None, map(str.strip, (only or "").split(","))))
    settings = Settings(topic=topic, quick=quick, only=names, repeats=repeats, threads=threads)
    folder = results_folder(out or Path("bench-results") / f"{datetime.now():%Y-%m-%d}")
    console = Console(stderr=True)
    if not console.is_terminal:
        console = Console(stderr=True, width=WIDTH_OF_A_FILE)
    with console.status("starting") as status:
        # A pipe has no status line that could be written over.
        tell = status.update if console.is_terminal else console.print
        report = run(settings, tell=lambda line: tell(line))
    show(console, report)
    save(console, report, folder)
    if as_json:
        print(json.dumps(to_json(report), ensure_ascii=False))
    missed = any(verdict.state == "missed" for verdict in report.verdicts)
    return GOAL_MISSED if strict and missed else 0


def show(console: "Console", report: "Report") -> None:
    """Print header and tables; the summary is the last line of them."""
    from ..bench.report import header, tables

    console.print(header(report))
    for part in tables(report):
        console.print(part)


def save(console: "Console", report: "Report", folder: Path) -> None:
    """Write JSON and chart, and say where; no chart without matplotlib or curves."""
    from ..bench.chart import draw
    from ..bench.files import write_atomically, write_json
    from ..bench.record import to_json

    topic = report.settings.topic
    written = [write_json(folder / f"{topic}.json", to_json(report))]
    try:
        picture = draw(report)
        if picture:
            written.append(write_atomically(folder / f"{topic}.png", picture))
    except MissingExtraError as error:
        console.print(f"No chart: {error}", style="yellow", highlight=False)
    console.print("Written: " + ", ".join(map(str, written)), highlight=False, soft_wrap=True)
