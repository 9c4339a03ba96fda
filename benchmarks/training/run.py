"""Train every architecture beside the peers and gather the report."""

import tempfile
from pathlib import Path
from typing import NamedTuple

from ..machine import here, load_average
from ..processes import at_work, run_race
from ..race import RaceResult, Report, Timed
from ..settings import Settings, Tell
from .contenders import ARCHITECTURES, Architecture
from .corpus import Prepared, prepare

TrainingRace = RaceResult[Architecture, Timed]
TrainingReport = Report[TrainingRace, Prepared]


class Effort(NamedTuple):
    """How long to measure: turns of everybody, and the seconds of each."""

    rounds: int
    seconds: float


FULL = Effort(rounds=9, seconds=6.0)
QUICK = Effort(rounds=5, seconds=2.0)


def effort_of(settings: Settings) -> Effort:
    """How many turns, and how long."""
    usual = QUICK if settings.quick else FULL
    return usual._replace(rounds=settings.repeats or usual.rounds)


def run(
    settings: Settings, *, command: str | None = None, tell: Tell = lambda _: None
) -> TrainingReport:
    """Measure everything asked for.

    Args:
        settings: what to measure, and how long.
        command: the command to state in the report; by default the one of this process.
        tell: called with a line about each piece of work before it starts.

    Raises:
        ChoiceError: there is no architecture of such a name.
        InputError: bad data, named by file and line.
    """
    architectures = settings.choose("architecture", ARCHITECTURES)
    machine = here(settings.threads, command)
    with tempfile.TemporaryDirectory(prefix="regard-bench-") as name:
        tell("splitting the text into pieces")
        corpus = prepare(settings.data, Path(name))
        races = tuple(
            raced(architecture, settings, Path(name), effort_of(settings), tell)
            for architecture in architectures
        )
    return Report(machine, settings, races, corpus, load_average())


def raced(
    architecture: Architecture, settings: Settings, folder: Path, effort: Effort, tell: Tell
) -> TrainingRace:
    """Train everybody who is installed, in turn while the others sleep."""
    job = {
        "architecture": architecture.name,
        "folder": str(folder),
        "threads": settings.threads,
        "max_tokens": settings.max_tokens,
    }
    work = [f"go {effort.seconds}"] * (effort.rounds + 1)
    with at_work(architecture.contenders, settings.environments, job, tell) as crew:
        result, _ = run_race(crew, architecture.race, work, unit="target_tokens", tell=tell)
    return result
