"""``regard bench``: measure regard beside its peers."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from ..errors import ChoiceError, MissingExtraError

if TYPE_CHECKING:
    from rich.console import Console

    from ..bench.outcome import Outcome

GOAL_MISSED = 1
"""The exit code of ``--strict`` when a goal is missed."""

WIDTH_OF_A_FILE = 180
"""Columns when stderr is no terminal; the tables are wide."""

Switch = Annotated[bool, Parameter(negative=())]


def bench(
    topic: Literal["kernels", "modules", "training"],
    /,
    *,
    quick: Switch = False,
    only: str | None = None,
    repeats: int | None = None,
    threads: int = 2,
    data: Annotated[tuple[Path, ...], Parameter(consume_multiple=True, negative=())] = (),
    environments: Path = Path(".bench-nmt"),
    out: Path | None = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
    strict: Switch = False,
) -> int:
    """Measure regard and its peers, interleaved in one run, and hold the ratios to their goals.

    Tables go to stderr; a JSON file with every sample and a PNG go to a folder.
    Peers which are not installed are named and left out: pip install 'regard[bench]' for kernels
    and modules, make bench-nmt for training.

    Args:
        topic: what to measure: functions, whole modules, or training.
        quick: fewer sizes and rounds, under 10 minutes.
        only: some of additive,entmax,window,default,lowered,weigh (kernels),
            layer,decoder,steps (modules) or gru,transformer (training); all if not given.
        repeats: rounds per race; as many as fit a few seconds if not given.
        threads: of torch, for everybody.
        data: pairs to train on, one file or a source and a target file; our own grammar if not
            given.
        environments: where the frameworks of training are installed, a folder each.
        out: folder for the results; bench-results/<date> if not given.
        as_json: print the JSON on stdout too.
        strict: exit with 1 when a goal is missed.
    """
    from rich.console import Console

    from ..bench.files import results_folder

    if data and topic != "training":
        raise ChoiceError(f"--data is text to train on, and {topic} need none; leave it out")
    names = tuple(filter(None, map(str.strip, (only or "").split(","))))
    folder = results_folder(out or Path("bench-results") / f"{datetime.now():%Y-%m-%d}")
    console = Console(stderr=True)
    if not console.is_terminal:
        console = Console(stderr=True, width=WIDTH_OF_A_FILE)
    with console.status("starting") as status:
        # A pipe has no status line that could be written over.
        tell = status.update if console.is_terminal else console.print
        common = {"quick": quick, "only": names, "repeats": repeats, "threads": threads}
        if topic == "training":
            common |= {"data": data, "environments": environments}
            outcome = trained(common, lambda line: tell(line))
        else:
            outcome = raced(common | {"topic": topic}, lambda line: tell(line))
    for page in outcome.pages:
        console.print(page)
    save(console, outcome, folder)
    if as_json:
        print(json.dumps(outcome.data, ensure_ascii=False))
    return GOAL_MISSED if strict and outcome.missed else 0


def raced(settings: dict[str, Any], tell: Callable[[str], None]) -> "Outcome":
    """The races of a topic, all in this process."""
    from ..bench.outcome import of_races
    from ..bench.results import Settings
    from ..bench.run import run

    return of_races(run(Settings(**settings), tell=tell))


def trained(settings: dict[str, Any], tell: Callable[[str], None]) -> "Outcome":
    """Training, a process per framework."""
    from ..bench.outcome import of_training
    from ..bench.training.results import TrainingSettings
    from ..bench.training.run import run

    return of_training(run(TrainingSettings(**settings), tell=tell))


def save(console: "Console", outcome: "Outcome", folder: Path) -> None:
    """Write JSON and chart, and say where; no chart without matplotlib or curves."""
    from ..bench.files import write_atomically, write_json

    written = [write_json(folder / f"{outcome.topic}.json", outcome.data)]
    try:
        picture = outcome.picture()
        if picture:
            written.append(write_atomically(folder / f"{outcome.topic}.png", picture))
    except MissingExtraError as error:
        console.print(f"No chart: {error}", style="yellow", highlight=False)
    console.print("Written: " + ", ".join(map(str, written)), highlight=False, soft_wrap=True)
