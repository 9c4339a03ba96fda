"""NaN or infinity in scores or weights."""

from typing import ClassVar

import torch

from ..cause import EVERYTHING, ChartCause, register
from ..chart import Chart
from ..finding import Evidence
from ..patient import Patient

HALF = 6e4
"""The largest score that half precision has room for, but for a little."""


@register
class NonFinite(ChartCause):
    """NaN or infinity in weights, or in scores that count."""

    name: ClassVar = "not a number"
    severity: ClassVar = "broken"
    soft: ClassVar = False
    explains: ClassVar = (EVERYTHING,)
    sign: ClassVar = (
        "a weight, or a score at a key that may be seen, is NaN or infinite; or a score in half "
        "precision is above 60,000"
    )
    fix: ClassVar = (
        "Normalise in float32, scale before the product and not after it, and give a query that "
        "may "
        "see no key zero weights."
    )
    story: ClassVar = (
        "A product of two vectors overflows half precision at 65,504; one infinite score makes a "
        "row "
        "of softmax NaN, and a NaN spreads to every parameter with the next update. A query that "
        "may "
        "see nothing divides nought by nought."
    )

    def see(self, chart: Chart, patient: Patient) -> Evidence | None:
        """Count them."""
        bad = int((~torch.isfinite(chart.weights)).sum())
        high = 0.0
        if chart.scores is not None:
            counted = chart.scores.masked_fill(~chart.seen, 0)
            bad += int((~torch.isfinite(counted)).sum())
            if chart.scores.dtype == torch.float16:
                high = float(counted.float().abs().amax())
        if not bad and high <= HALF:
            return None
        return {"not finite": bad, **({"largest score": high} if high else {})}
