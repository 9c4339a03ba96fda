"""The additive score: v·tanh(q + k), one head of 64 features."""

from ..case import Case, both_passes
from ..goals import at_least, at_most
from ..plans import Curve, Suite
from ..race import Duel, Race

OURS = ("regard, numba", "regard, no numba")
PEERS = ("eager", "keras")
GOAL_AT = 1024

SPEEDUPS = {
    ("regard, numba", False): at_least(30.0),
    ("regard, no numba", False): at_least(12.0),
    ("regard, numba", True): at_least(12.0),
    ("regard, no numba", True): at_least(4.0),
}
"""Goal by system and whether the backward pass is in it."""


def case_at(positions: int) -> Case:
    """One sequence, one head, 64 features."""
    return Case("additive", (1, 1, positions, 64))


def race(case: Case) -> Race[Case]:
    """Ours with and without numba against each peer."""
    judged = case.positions == GOAL_AT
    duels = [
        Duel(ours, (peer,), goal=SPEEDUPS[ours, case.backward] if judged else None)
        for ours in OURS
        for peer in PEERS
    ]
    return Race(case, (*OURS, *PEERS), tuple(duels))


def additive(quick: bool) -> Suite:
    """The suite; the quick one leaves out what takes the peers seconds."""
    timed = (256, 512, 1024) if quick else (256, 512, 1024, 2048)
    ours_at = (2048, 8192) if quick else (2048, 4096, 8192, 16384)  # more than one block each
    peers_at = (512, 1024) if quick else (512, 1024, 2048)
    cases = [case for n in timed for case in both_passes(case_at(n))]
    curves = []
    for one in both_passes(case_at(GOAL_AT)):
        for system in (*OURS, *PEERS):
            curves.append(Curve("time", system, tuple(one.at(n) for n in timed)))
        for system in OURS:
            grown = tuple(one.at(n) for n in ours_at)
            curves.append(Curve("memory", system, grown, at_most(1.15, "")))
        for system in PEERS if one.backward or not quick else ():
            curves.append(Curve("memory", system, tuple(one.at(n) for n in peers_at)))
    return Suite(
        name="additive",
        title="Additive score, one head, D = 64",
        note="Queries and keys are already projected, for all; the eager form contracts with @.",
        races=tuple(race(case) for case in cases),
        curves=tuple(curves),
    )
