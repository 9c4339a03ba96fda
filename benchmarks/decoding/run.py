"""Translate in every way beside the peers and gather the report."""

import json
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from ..machine import here, load_average
from ..processes import OURS, Crew, at_work, run_race
from ..race import RaceResult, Report, Timed
from ..settings import Settings, Tell
from .contenders import CONTENDERS, WAYS, Way
from .decoders.protocol import Order
from .prepare import Prepared, prepare

FULL_ROUNDS, QUICK_ROUNDS = 9, 5

DecodingRace = RaceResult[Way, Timed]


class Ground(NamedTuple):
    """What everybody worked with."""

    prepared: Prepared
    versions: Mapping[str, Mapping[str, str]]


DecodingReport = Report[DecodingRace, Ground]


def run(
    settings: Settings, *, command: str | None = None, tell: Tell = lambda _: None
) -> DecodingReport:
    """Measure everything asked for.

    Args:
        settings: what to measure, and how often.
        command: the command to state in the report; by default the one of this process.
        tell: called with a line about each piece of work before it starts.

    Raises:
        InputError: bad data, named by file and line.
        ChoiceError: a way that there is not, or a model that the others do not have.
    """
    ways = settings.choose("way to translate", WAYS)
    machine = here(settings.threads, command)
    rounds = settings.repeats or (QUICK_ROUNDS if settings.quick else FULL_ROUNDS)
    with tempfile.TemporaryDirectory(prefix="regard-bench-") as folder:
        tell("writing the model and the sources")
        prepared = prepare(settings.model, settings.data, Path(folder))
        job = {"folder": folder, "threads": settings.threads, "length": settings.forced}
        with at_work(CONTENDERS, settings.environments, job, tell) as crew:
            races = tuple(raced(crew, way, prepared.sources, rounds, tell) for way in ways)
    versions = {name: about["versions"] for name, about in crew.about.items()}
    return Report(machine, settings, races, Ground(prepared, versions), load_average())


def raced(crew: Crew, way: Way, sources: int, rounds: int, tell: Tell) -> DecodingRace:
    """One way, by everybody who is there; the answers of the warm-up are compared with ours."""
    warm_up, *rest = portions(way, sources, rounds)
    work = [Order(warm_up, way.size, way.beam, told=True)]
    work += [Order(numbers, way.size, way.beam) for numbers in rest]
    lines = [json.dumps(order._asdict()) for order in work]
    result, first = run_race(crew, way.race, lines, unit="tokens", tell=tell)
    answers = {name: answer["answers"] for name, answer in first.items()}
    return replace(
        result,
        entrants={
            name: replace(system, about={**system.about, **compared(answers, name)})
            for name, system in result.entrants.items()
        },
    )


def compared(answers: Mapping[str, list[list[int]]], name: str) -> dict[str, Any]:
    """How many answers of one equal ours."""
    return {"agreement": agreement(answers[name], answers.get(OURS, answers[name]))}


def portions(way: Way, sources: int, rounds: int) -> list[list[int]]:
    """The sources of the warm-up and of every round: neighbours in length where several go at once.

    The same in every run, and the same for everybody.
    """
    random = Random(0)
    count = min(way.sentences, sources)
    if way.size == 1:
        return [random.sample(range(sources), count) for _ in range(rounds + 1)]
    starts = [random.randint(0, sources - count) for _ in range(rounds + 1)]
    return [list(range(start, start + count)) for start in starts]


def agreement(answers: list[list[int]], ours: list[list[int]]) -> float:
    """Share of answers that are the same, token by token."""
    return sum(a == b for a, b in zip(answers, ours, strict=True)) / len(ours)
