"""Scores that are inner products in another space, and so run on the fused kernel."""

from ..case import Case, Mask, both_passes
from ..goals import at_most
from ..plans import Suite
from ..race import Duel, Race

SCORES: tuple[tuple[str, Mask], ...] = (
    ("general", "plain"),
    ("cosine", "plain"),
    ("euclidean", "plain"),
    ("gaussian", "plain"),
    ("alibi", "causal"),
)
WITH_BIAS = ("euclidean", "gaussian", "alibi")
"""Scores whose extra term can also be given to the kernel as an additive mask."""


def race(case: Case, quick: bool) -> Race[Case]:
    """Ours against the best lowering by hand; the bare kernel for scale."""
    peers = ("sdpa", "sdpa + bias") if case.mechanism in WITH_BIAS else ("sdpa",)
    duels = [Duel("regard", peers, "slowdown", at_most(1.15))]
    systems = ["regard", *peers]
    if not quick:
        systems.append("plain sdpa")
        duels.append(Duel("regard", ("plain sdpa",), "slowdown"))
    if not quick and case.mechanism == "alibi" and not case.backward:
        systems.append("flex")
        duels.append(Duel("regard", ("flex",), "slowdown"))
    return Race(case, tuple(systems), tuple(duels))


def lowered(quick: bool) -> Suite:
    """The suite; the quick one leaves out a size and what is there for scale."""
    sizes = (512, 2048) if quick else (512, 1024, 2048)
    cases = [
        case
        for mechanism, mask in SCORES
        for n in sizes
        for case in both_passes(Case(mechanism, (1, 8, n, 64), mask=mask))
    ]
    return Suite(
        name="lowered",
        title="Lowered scores, (1, 8, N, 64)",
        note="SDPA gets the projection the score needs, written by hand and timed with it; where "
        "an additive mask can say the same, the better of the two counts.",
        races=tuple(race(case, quick) for case in cases),
    )
