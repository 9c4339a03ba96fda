"""A window of 128 positions, eight heads of 64 features."""

from ..case import Case, both_passes
from ..goals import at_least, at_most
from ..plans import Curve, Suite
from ..race import Duel, Race

GOAL_AT = 4096
MEASURED = ("regard", "local-attention", "sdpa")


def race(case: Case, with_flex: bool) -> Race[Case]:
    """Ours against the package made for it, and against the fused kernel with a band mask."""
    judged = case.positions == GOAL_AT
    duels = [
        Duel("regard", ("local-attention",), goal=at_least(1.0) if judged else None),
        Duel("regard", ("sdpa",), goal=at_least(2.5) if judged else None),
    ]
    systems = list(MEASURED)
    if with_flex:
        systems.append("flex")
        duels.append(Duel("regard", ("flex",)))
    return Race(case, tuple(systems), tuple(duels))


def window(quick: bool) -> Suite:
    """The suite; the quick one compiles FlexAttention for one size only."""
    timed = (1024, 2048, 4096)
    races, curves = [], []
    for mask in ("back", "around"):
        start = Case("window", (1, 8, GOAL_AT, 64), mask=mask)
        for case in (case for n in timed for case in both_passes(start.at(n))):
            compiled = case.positions == GOAL_AT and mask == "back"
            races.append(race(case, with_flex=compiled or not quick))
        for one in both_passes(start):
            cases = tuple(one.at(n) for n in timed)
            for name in MEASURED:
                goal = at_most(1.15, "") if name == "regard" else None
                curves.append(Curve("time", name, cases, goal))
            if not quick:
                curves += [Curve("memory", name, cases) for name in MEASURED]
    return Suite(
        name="window",
        title="Window of 128, (1, 8, N, 64)",
        note="The band mask of SDPA and the block mask of FlexAttention are built beforehand.",
        races=tuple(races),
        curves=tuple(curves),
    )
