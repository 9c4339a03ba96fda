"""Translate in every way beside the peers and gather the report."""

import tempfile
from pathlib import Path

from regard.errors import RangeError

from ..machine import here, load_average
from .contenders import CONTENDERS, WAYS, Way
from .prepare import prepare
from .race import Tell, at_work, run_race
from .results import DecodingReport, DecodingSettings

FULL_ROUNDS, QUICK_ROUNDS = 9, 5


def chosen(settings: DecodingSettings) -> tuple[Way, ...]:
    """The ways asked for, in their usual order.

    Raises:
        ChoiceError: there is none of such a name.
        RangeError: fewer than one thread, repeat or token.
    """
    counts = {"thread": settings.threads, "repeat": settings.repeats, "token": settings.length}
    for what, number in counts.items():
        if number is not None and number < 1:
            raise RangeError(f"bench needs at least 1 {what}, got {number}")
    wanted = [WAYS[name] for name in settings.only]
    everything = sorted((WAYS[name] for name in WAYS), key=lambda way: (way.size, way.beam))
    return tuple(way for way in everything if not wanted or way in wanted)


def run(
    settings: DecodingSettings, *, command: str | None = None, tell: Tell = lambda _: None
) -> DecodingReport:
    """Measure everything asked for.

    Args:
        settings: what to measure, and how often.
        command: the command to state in the report; by default the one of this process.
        tell: called with a line about each piece of work before it starts.

    Raises:
        InputError: bad data, named by file and line.
        ChoiceError: a model that the others do not have.
    """
    ways = chosen(settings)
    machine = here(settings.threads, command)
    rounds = settings.repeats or (QUICK_ROUNDS if settings.quick else FULL_ROUNDS)
    with tempfile.TemporaryDirectory(prefix="regard-bench-") as name:
        folder = Path(name)
        tell("writing the model and the sources")
        prepared = prepare(settings.model, settings.data, folder)
        with at_work(CONTENDERS, settings, folder, tell) as crew:
            races = tuple(
                run_race(crew, way, sources=prepared.sources, rounds=rounds, tell=tell)
                for way in ways
            )
    return DecodingReport(machine, settings, prepared, crew.versions, races, load_average())
