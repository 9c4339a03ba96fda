"""Run a race: make everybody ready, see that they agree, time them in turn."""

import warnings
from collections.abc import Mapping

from .inputs import Inputs, make_inputs
from .peers import SYSTEMS, System
from .plans import Duel, Race
from .reasons import NOT_INSTALLED, Absence, judged, reason
from .results import Comparison, RaceResult
from .step import Answer, Step, disagreement, prepare
from .timing import (
    Effort,
    Samples,
    difference,
    interleave,
    loops_for,
    ratio,
    ratio_of_medians,
    time_once,
)

MICROSECONDS = 1e6


def run_race(race: Race, *, effort: Effort, repeats: int | None = None) -> RaceResult:
    """Time the systems of ``race`` on the same inputs, round by round.

    Args:
        race: who runs what.
        effort: how long to measure.
        repeats: rounds, whatever the effort says.
    """
    inputs = make_inputs(race.case)
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
        samples = interleave(steps, rounds=rounds, loops=loops)
    comparisons = tuple(compare(duel, samples, absent) for duel in race.duels)
    return RaceResult(race, samples, loops, absent, apart, comparisons)


def make_ready(system: System, race: Race, inputs: Inputs) -> tuple[Step, Answer] | Absence:
    """The step of a system and its first answer, which warms it up, or why there is none."""
    if not system.available():
        return Absence(NOT_INSTALLED)
    if not system.can(race.case):
        return Absence(f"has no {race.case.mechanism}")
    try:
        step = prepare(system, race.case, inputs)
        return step, step.answer()
    except Exception as error:  # a peer may fail in any way; the report says how
        inputs.forget_gradients()
        return Absence(reason(error))


def compare(duel: Duel, samples: Mapping[str, Samples], absent: Mapping[str, str]) -> Comparison:
    """Ours against the fastest peer present."""
    present = [peer for peer in duel.peers if peer in samples]
    if duel.ours not in samples or not present:
        return Comparison(duel, value=judged(None, absent.get(duel.ours)))
    peer = min(present, key=lambda name: samples[name].median)
    ours, theirs = samples[duel.ours], samples[peer]
    if duel.measure == "overhead":
        apart = MICROSECONDS * (ours.median - theirs.median)
        return Comparison(duel, peer, MICROSECONDS * difference(ours, theirs), apart)
    above, below = (ours, theirs) if duel.measure == "slowdown" else (theirs, ours)
    return Comparison(duel, peer, ratio(above, below), ratio_of_medians(above, below))
