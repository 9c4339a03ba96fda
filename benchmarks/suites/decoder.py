"""Additive attention as a module: all queries at once, and step by step as a decoder asks."""

from ..case import Case, both_passes
from ..goals import at_least, at_most
from ..plans import Suite
from ..race import Duel, Race

KEYS = 1000


def at_once(case: Case) -> Race[Case]:
    """Projections, scores and pooling of a whole sequence of states."""
    duel = Duel("regard.nn", ("keras",), "slowdown", at_most(1.05))
    return Race(case, ("regard.nn", "keras"), (duel,))


def stepwise(case: Case) -> Race[Case]:
    """The loop of a decoder; the tutorial form projects all keys again in every step."""
    goal = at_least(3.0) if case.backward else at_least(1 / 1.05)
    return Race(
        case, ("regard.nn", "tutorial"), (Duel("regard.nn", ("tutorial",), "speedup", goal),)
    )


def decoder(quick: bool) -> Suite:
    """The suite; the quick one leaves out the longest sequence."""
    lengths = (128, 512) if quick else (128, 512, 1024)
    races = [
        at_once(case) for n in lengths for case in both_passes(Case("bahdanau", (4, 1, n, 64)))
    ]
    races += [stepwise(case) for case in both_passes(Case("bahdanau steps", (8, 1, KEYS, 128)))]
    return Suite(
        name="decoder",
        title="Bahdanau attention: all states at once, and 16 steps over 1,000 keys",
        note="keras' AdditiveAttention has no projections: it gets two linear maps of torch.",
        races=tuple(races),
    )
