"""Run a race: make everybody ready, see that they agree, time them in turn."""

import time
import warnings
from collections.abc import Mapping

from .case import Case
from .inputs import Inputs, make_inputs
from .peers import SYSTEMS, System
from .race import Race, RaceResult, called, compare
from .reasons import NOT_INSTALLED, Absence, reason
from .results import CaseResult
from .step import Answer, Step, disagreement, prepare
from .timing import Effort, Samples, interleave, joined, loops_for, time_once


def run_race(race: Race[Case], *, effort: Effort, repeats: int | None = None) -> CaseResult:
    """Time the systems of ``race`` on the same inputs, round by round.

    Where the rounds leave a goal in doubt, met or missed, they go on for a while.

    Args:
        race: who runs what.
        effort: how long to measure.
        repeats: rounds, whatever the effort says.
    """
    inputs = make_inputs(race.what)
    steps: dict[str, Step] = {}
    absent: dict[str, str] = {}
    apart: dict[str, float] = {}
    reference: Answer | None = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in race.systems:
            ready = make_ready(SYSTEMS[name], race, inputs)
            if isinstance(ready, Absence):
                absent[name] = ready.reason
                continue
            steps[name], found = ready
            if reference is None:
                reference = found
            elif SYSTEMS[name].same_answer:
                apart[name] = disagreement(reference, found)
        seconds = {name: time_once(step) for name, step in steps.items()}
        loops = {name: loops_for(taken) for name, taken in seconds.items()}
        one_round = sum((seconds[name] * loops[name] for name in seconds), 0.0)
        rounds = repeats or effort.rounds(one_round)
        end = time.perf_counter() + effort.longest
        samples = interleave(steps, rounds=rounds, loops=loops)
        while not repeats and in_doubt(race, samples) and time.perf_counter() < end:
            samples = joined(samples, interleave(steps, rounds=rounds, loops=loops))
    timed = {
        name: called(found, loops=loops[name], disagreement=apart.get(name))
        for name, found in samples.items()
    }
    return RaceResult(race, timed, absent)


def in_doubt(race: Race[Case], samples: Mapping[str, Samples]) -> bool:
    """Whether more rounds might change a verdict."""
    return any(compare(duel, samples, {}).in_doubt for duel in race.duels)


def make_ready(system: System, race: Race[Case], inputs: Inputs) -> tuple[Step, Answer] | Absence:
    """The step of a system and its first answer, which warms it up, or why there is none."""
    if not system.available():
        return Absence(NOT_INSTALLED)
    if not system.can(race.what):
        return Absence(f"has no {race.what.mechanism}")
    try:
        step = prepare(system, race.what, inputs)
        return step, step.answer()
    except Exception as error:  # a peer may fail in any way; the report says how
        inputs.forget_gradients()
        return Absence(reason(error))
