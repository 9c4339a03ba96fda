"""``python -m benchmarks``, or ``regard bench``: measure regard beside its peers."""

import json
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from regard.cli.console import for_tables
from regard.errors import ChoiceError, MissingExtraError

if TYPE_CHECKING:
    from rich.console import Console

    from .outcome import Outcome

GOAL_MISSED = 1
"""The exit code of ``--strict`` when a goal is missed."""

Files = Annotated[tuple[Path, ...], Parameter(consume_multiple=True, negative=())]
Switch = Annotated[bool, Parameter(negative=())]
Topic = Literal["kernels", "modules", "training", "decoding", "mechanisms"]
Measure = Callable[[dict[str, Any], Callable[[str], None]], "Outcome"]

WORDS = {
    "data": "text to train on",
    "test": "text to measure on",
    "model": "a run to translate with",
    "minutes": "a time to train",
    "repeats": "a number of rounds",
}
TAKEN = {
    "kernels": ("repeats",),
    "modules": ("repeats",),
    "training": ("data", "repeats"),
    "decoding": ("data", "model", "repeats"),
    "mechanisms": ("data", "test", "minutes"),
}
"""Which of these words a topic takes."""


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
        quick: fewer sizes and rounds, under 10 minutes.
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
        raise ChoiceError(f"bench needs something to measure: {', '.join(TAKEN)}")

    from rich.text import Text

    from .files import results_folder

    given = {"data": data, "test": test, "model": model, "minutes": minutes, "repeats": repeats}
    refuse(topic, {name for name, value in given.items() if value not in (None, ())})
    names = tuple(filter(None, map(str.strip, (only or "").split(","))))
    usual = "mechanisms" if topic == "mechanisms" else f"{datetime.now():%Y-%m-%d}"
    folder = results_folder(out or Path("bench-results") / usual)
    console = for_tables(stderr=True)
    with console.status("starting") as status:
        # A pipe has no status line that could be written over.
        tell = status.update if console.is_terminal else console.print
        settings = {"quick": quick, "only": names, "threads": threads}
        settings |= {name: given[name] for name in TAKEN[topic]}
        if topic in ("training", "decoding"):
            settings["environments"] = environments
        settings |= {"out": folder} if topic == "mechanisms" else {}
        outcome = MEASURED.get(topic, partial(raced, topic))(
            settings, lambda line: tell(Text(line))
        )
    for page in outcome.pages:
        console.print(page)
    save(console, outcome, folder)
    if as_json:
        print(json.dumps(outcome.data, ensure_ascii=False))
    return GOAL_MISSED if strict and outcome.missed else 0


def refuse(topic: str, given: set[str]) -> None:
    """Say which words do not belong to a topic.

    Raises:
        ChoiceError: there is one.
    """
    for name in WORDS:
        if name in given and name not in TAKEN[topic]:
            raise ChoiceError(f"--{name} is {WORDS[name]}, and {topic} need none; leave it out")


def raced(topic: str, settings: dict[str, Any], tell: Callable[[str], None]) -> "Outcome":
    """The races of a topic, all in this process."""
    from .outcome import of_races
    from .results import Settings
    from .run import run

    return of_races(run(Settings(topic=topic, **settings), tell=tell))


def trained(settings: dict[str, Any], tell: Callable[[str], None]) -> "Outcome":
    """Training, a process per framework."""
    from .outcome import of_training
    from .training.results import TrainingSettings
    from .training.run import run

    return of_training(run(TrainingSettings(**settings), tell=tell))


def decoded(settings: dict[str, Any], tell: Callable[[str], None]) -> "Outcome":
    """Decoding, a process per system."""
    from .decoding.results import DecodingSettings
    from .decoding.run import run
    from .outcome import of_decoding

    return of_decoding(run(DecodingSettings(**settings), tell=tell))


def compared(settings: dict[str, Any], tell: Callable[[str], None]) -> "Outcome":
    """What mechanisms learn, a run each."""
    from .mechanisms.results import MechanismSettings
    from .mechanisms.run import run
    from .outcome import of_mechanisms

    return of_mechanisms(run(MechanismSettings(**settings), tell=tell))


MEASURED: dict[str, Measure] = {"training": trained, "decoding": decoded, "mechanisms": compared}
"""Topics with a way of their own; the others are races."""


def save(console: "Console", outcome: "Outcome", folder: Path) -> None:
    """Write JSON, page and chart, and say where; no chart without matplotlib or curves."""
    from .files import write_atomically, write_json

    written = [write_json(folder / f"{outcome.topic}.json", outcome.data)]
    if outcome.text is not None:
        written.append(write_atomically(folder / f"{outcome.topic}.md", outcome.text.encode()))
    try:
        for kind, draw in (("png", outcome.picture), ("svg", outcome.drawing)):
            picture = draw()
            if picture:
                written.append(write_atomically(folder / f"{outcome.topic}.{kind}", picture))
    except MissingExtraError as error:
        console.print(f"No chart: {error}", style="yellow", highlight=False)
    console.print("Written: " + ", ".join(map(str, written)), highlight=False, soft_wrap=True)
