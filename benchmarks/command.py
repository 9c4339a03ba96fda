"""``python -m benchmarks``, or ``regard bench``: measure regard beside its peers."""

import json
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from regard.cli.console import for_tables
from regard.errors import ChoiceError, MissingExtraError

from .settings import Settings

if TYPE_CHECKING:
    from rich.console import Console

    from .outcome import Outcome

GOAL_MISSED = 1
"""The exit code of ``--strict`` when a goal is missed."""

Files = Annotated[tuple[Path, ...], Parameter(consume_multiple=True, negative=())]
Switch = Annotated[bool, Parameter(negative=())]
Topic = Literal["kernels", "modules", "training", "decoding", "mechanisms"]

REPORTS = {
    "kernels": "benchmarks.report",
    "modules": "benchmarks.report",
    "training": "benchmarks.training.report",
    "decoding": "benchmarks.decoding.report",
    "mechanisms": "benchmarks.mechanisms.report",
}
"""Where a topic's ``measure`` is; nothing of it is imported before it is asked for."""


def bench(
    topic: Topic | None = None,
    /,
    *,
    quick: Switch = False,
    only: str | None = None,
    repeats: int | None = None,
    threads: int = 2,
    data: Files = (),
    test: Files = (),
    model: Path | None = None,
    minutes: float | None = None,
    environments: Path = Path(".bench-nmt"),
    out: Path | None = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
    strict: Switch = False,
) -> int:
    """Measure regard and its peers, interleaved in one run, and hold the ratios to their goals.

    Tables go to stderr; a JSON file with every sample and a PNG go to a folder.
    Peers which are not installed are named and left out: pip install 'regard[bench]' for kernels
    and modules, make bench-nmt for training and decoding.

    mechanisms compares our own models, from no attention to the Transformer, with as many
    parameters and minutes each; the same command goes on where it was interrupted.

    Args:
        topic: what to measure: functions, whole modules, training, decoding, or what mechanisms
            learn.
        quick: fewer sizes and rounds, a quarter of an hour.
        only: some of additive,entmax,window,default,lowered,weigh (kernels),
            layer,decoder,steps (modules), gru,transformer (training),
            1-greedy,1-beam,64-greedy,64-beam (decoding) or
            none,bahdanau,luong-general,local-p,gnmt-4,transformer (mechanisms); all if not given.
        repeats: rounds per race; as many as fit a few seconds if not given.
        threads: of torch, for everybody.
        data: pairs to train on or to translate, one file or a source and a target file; our own
            grammar if not given.
        test: pairs that mechanisms are measured on, if they learn from --data.
        model: folder of a run whose Transformer decodes; one with random weights if not given.
        minutes: of training, for each mechanism; 3 on the grammar and 20 on --data if not given.
        environments: where the frameworks of training are installed, a folder each.
        out: folder for the results; bench-results/<date> if not given, and
            bench-results/mechanisms for the runs of mechanisms.
        as_json: print the JSON on stdout too.
        strict: exit with 1 when a goal is missed.
    """
    if topic is None:
        raise ChoiceError(f"bench needs something to measure: {', '.join(REPORTS)}")

    from rich.text import Text

    from .files import results_folder

    usual = "mechanisms" if topic == "mechanisms" else f"{datetime.now():%Y-%m-%d}"
    settings = Settings(
        topic=topic,
        quick=quick,
        only=tuple(filter(None, map(str.strip, (only or "").split(",")))),
        repeats=repeats,
        threads=threads,
        data=data,
        test=test,
        model=model,
        minutes=minutes,
        environments=environments,
        out=out or Path("bench-results") / usual,
    )
    settings.check()
    folder = results_folder(settings.out)
    console = for_tables(stderr=True)
    with console.status("starting") as status:
        # A pipe has no status line that could be written over.
        tell = status.update if console.is_terminal else console.print
        measure = import_module(REPORTS[topic]).measure
        outcome: Outcome = measure(settings, lambda line: tell(Text(line)))
    for page in outcome.pages:
        console.print(page)
    save(console, outcome, folder)
    if as_json:
        print(json.dumps(outcome.data, ensure_ascii=False))
    return GOAL_MISSED if strict and outcome.missed else 0


def save(console: "Console", outcome: "Outcome", folder: Path) -> None:
    """Write JSON, page and pictures, and say where; no picture without matplotlib or curves."""
    from .files import write_atomically, write_json

    written = [write_json(folder / f"{outcome.topic}.json", outcome.data)]
    if outcome.text is not None:
        written.append(write_atomically(folder / f"{outcome.topic}.md", outcome.text.encode()))
    try:
        for kind, draw in outcome.pictures.items():
            picture = draw()
            if picture:
                written.append(write_atomically(folder / f"{outcome.topic}.{kind}", picture))
    except MissingExtraError as error:
        console.print(f"No chart: {error}", style="yellow", highlight=False)
    console.print("Written: " + ", ".join(map(str, written)), highlight=False, soft_wrap=True)
