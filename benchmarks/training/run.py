"""Train every architecture beside the peers and gather the report."""

import tempfile
from pathlib import Path

from regard.errors import RangeError

from ..machine import here, load_average
from .contenders import ARCHITECTURES, Architecture
from .corpus import prepare
from .race import Effort, Tell, run_race
from .results import TrainingReport, TrainingSettings

FULL = Effort(rounds=9, seconds=6.0)
QUICK = Effort(rounds=5, seconds=2.0)


def chosen(settings: TrainingSettings) -> tuple[Architecture, ...]:
    """The architectures asked for, in their usual order.

    Raises:
        ChoiceError: there is none of such a name.
        RangeError: fewer than one thread or repeat.
    """
    for what, number in (("thread", settings.threads), ("repeat", settings.repeats)):
        if number is not None and number < 1:
            raise RangeError(f"bench needs at least 1 {what}, got {number}")
    wanted = [ARCHITECTURES[name] for name in settings.only]
    everything = [ARCHITECTURES[name] for name in ARCHITECTURES]
    return tuple(one for one in everything if not wanted or one in wanted)


def effort_of(settings: TrainingSettings) -> Effort:
    """How many turns, and how long."""
    usual = QUICK if settings.quick else FULL
    return Effort(settings.repeats or usual.rounds, usual.seconds)


def run(
    settings: TrainingSettings, *, command: str | None = None, tell: Tell = lambda _: None
) -> TrainingReport:
    """Measure everything asked for.

    Args:
        settings: what to measure, and how long.
        command: the command to state in the report; by default the one of this process.
        tell: called with a line about each piece of work before it starts.

    Raises:
        InputError: bad data, named by file and line.
    """
    architectures = chosen(settings)
    machine = here(settings.threads, command)
    with tempfile.TemporaryDirectory(prefix="regard-bench-") as name:
        folder = Path(name)
        tell("splitting the text into pieces")
        corpus = prepare(settings.data, folder)
        races = tuple(
            run_race(
                architecture,
                settings=settings,
                folder=folder,
                effort=effort_of(settings),
                tell=tell,
            )
            for architecture in architectures
        )
    return TrainingReport(machine, settings, corpus, races, load_average())
