"""A multi-head layer with all its projections, against the layers people use."""

from ..case import Case, both_passes
from ..goals import at_most
from ..plans import Suite
from ..race import Duel, Race

SHAPES = ((32, 8, 32, 64), (8, 8, 256, 64), (1, 8, 2048, 64))
PEERS = ("nn.MultiheadAttention", "x-transformers", "keras")


def race(case: Case) -> Race[Case]:
    """Ours against each of them."""
    duels = tuple(Duel("regard.nn", (peer,), "slowdown", at_most(1.05)) for peer in PEERS)
    return Race(case, ("regard.nn", *PEERS), duels)


def layer(quick: bool) -> Suite:
    """The suite; the quick one only measures less long."""
    return Suite(
        name="layer",
        title="Multi-head self attention, projections included",
        note="x-transformers has no biases; nobody is asked for weights.",
        races=tuple(race(case) for shape in SHAPES for case in both_passes(Case("layer", shape))),
    )
