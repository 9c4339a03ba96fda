"""Queries and keys without a gradient."""

from collections.abc import Iterator
from typing import ClassVar

from ..cause import Cause, register
from ..chart import Chart
from ..finding import Finding
from ..patient import Patient

LEAST = 1e-3


@register
class DeadGradient(Cause):
    """The gradient of W_q and W_k is missing, zero, or tiny beside that of W_v."""

    name: ClassVar = "queries and keys do not learn"
    severity: ClassVar = "broken"
    soft: ClassVar = False
    explains: ClassVar = ("query does not matter", "saturated", "broad by design", "scale missing")
    sign: ClassVar = (
        "ρ = (‖∂W_q‖/‖W_q‖) / (‖∂W_v‖/‖W_v‖), the larger of query and key, is exactly 0 or there "
        "is no "
        "gradient while values have one"
    )
    fix: ClassVar = (
        "Remove the detach or the requires_grad=False before the scores; where W_q and W_k are "
        "both zero, initialise one of them: they never leave by themselves."
    )
    story: ClassVar = (
        "Weights that are cut off from the loss stay as they were drawn: all but uniform for ever, "
        "while the values learn and the loss falls. Both matrices at zero are a saddle: each one's "
        "gradient is a product with the other."
    )

    def look(self, patient: Patient) -> Iterator[Finding]:
        """Each module that has three projections of which values learn."""
        if patient.loss_now is None:
            return
        for chart in patient.charts:
            query, key, value = (chart.projections.get(n) for n in ("query", "key", "value"))
            if query is None or key is None or value is None or value.gradient is None:
                continue
            if not value.gradient.any() or not chart.rows.any():
                continue
            sizes = {
                f"‖∂W_{name}‖": 0.0 if one.gradient is None else float(one.gradient.norm())
                for name, one in (("q", query), ("k", key))
            }
            both = not query.weight.any() and not key.weight.any()
            dead = [one for one in (query, key) if one.gradient is None]
            if both or len(dead) == 2 or not any(sizes.values()):
                if _certain(chart):
                    continue
                yield self.found(
                    {**sizes, "W_q and W_k": "both zero" if both else "no gradient"}, chart.name
                )


def _certain(chart: Chart) -> bool:
    """Rows on one key have no slope left: that has a cause of its own."""
    return bool((chart.certain > 0.999).all())
