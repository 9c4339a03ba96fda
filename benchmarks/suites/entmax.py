"""Sparsemax and 1.5-entmax, eight heads of 64 features."""

from ..case import Case, both_passes
from ..goals import at_least, at_most
from ..plans import Curve, Suite
from ..race import Duel, Race

NORMALISERS = ("sparsemax", "entmax15")
SYSTEMS = ("regard", "entmax", "entmax, k=100", "plain sdpa")
GOAL_AT = 2048


def race(case: Case) -> Race[Case]:
    """Ours against the package as it comes; its partial sort and the softmax kernel for scale."""
    judged = case.positions == GOAL_AT
    goal = at_least(6.0 if case.backward else 8.0) if judged else None
    duels = (
        Duel("regard", ("entmax",), goal=goal),
        Duel("regard", ("entmax, k=100",)),
        Duel("regard", ("plain sdpa",)),
    )
    return Race(case, SYSTEMS, duels)


def entmax(quick: bool) -> Suite:
    """The suite; the quick one skips sizes in between."""
    timed = (512, 2048) if quick else (512, 1024, 2048)
    ours_at = (2048, 8192) if quick else (2048, 4096, 8192, 16384)  # more than one block each
    races, curves = [], []
    for name in NORMALISERS:
        start = Case(name, (1, 8, GOAL_AT, 64))
        races += [race(case) for n in timed for case in both_passes(start.at(n))]
        for one in both_passes(start):
            for system in ("regard", "entmax"):
                curves.append(Curve("time", system, tuple(one.at(n) for n in timed)))
            grown = tuple(one.at(n) for n in ours_at)
            curves.append(Curve("memory", "regard", grown, at_most(1.15, "")))
            if one.backward or not quick:
                theirs = tuple(one.at(n) for n in (512, 1024))
                curves.append(Curve("memory", "entmax", theirs))
    return Suite(
        name="entmax",
        title="Sparsemax and 1.5-entmax, (1, 8, N, 64)",
        note="The entmax package gets eager scores; softmax by SDPA is there for scale.",
        races=tuple(races),
        curves=tuple(curves),
    )
