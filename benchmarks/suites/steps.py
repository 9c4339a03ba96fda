"""One more step after N positions: what it costs as the past grows."""

from ..case import Case
from ..goals import at_most
from ..plans import Curve, Suite
from ..race import Race

GROWTH = {"cached step": 1.15, "RNN step": 0.15, "LSTM step": 0.15, "GRU step": 0.15}
"""The largest exponent of time in N: linear with a cache, constant with a recurrent state."""


def steps(quick: bool) -> Suite:
    """The suite: curves, with nobody to race against."""
    lengths = (1024, 4096, 16384) if quick else (256, 1024, 4096, 16384)
    cases = {
        mechanism: tuple(Case(mechanism, (1, 8, n, 64)) for n in lengths) for mechanism in GROWTH
    }
    return Suite(
        name="steps",
        title="One decoding step after N positions, width 512",
        note="The cache or state of the past is made beforehand.",
        races=tuple(Race(case, ("regard.nn",)) for group in cases.values() for case in group),
        curves=tuple(
            Curve("time", "regard.nn", group, at_most(GROWTH[mechanism], ""))
            for mechanism, group in cases.items()
        ),
    )
