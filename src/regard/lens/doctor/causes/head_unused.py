"""A head that adds nothing."""

from collections.abc import Iterator
from typing import ClassVar

from torch import nn

from ..cause import Cause, register
from ..chart import Chart
from ..finding import Finding
from ..patient import Patient

SHARE = 0.01


@register
class HeadUnused(Cause):
    """What a head writes is no hundredth of what its block writes."""

    name: ClassVar = "head unused"
    severity: ClassVar = "normal"
    sign: ClassVar = "‖c W_O^h‖ is below 1 % of the sum over the heads of its module"
    fix: ClassVar = "Harmless: prune it if you want a smaller model."
    story: ClassVar = (
        "Models have more heads than they need, and training leaves some of them silent. In most "
        "heads of a trained Transformer nothing is lost by taking them away."
    )
    links: ClassVar = ("https://arxiv.org/abs/1905.10650",)

    def look(self, patient: Patient) -> Iterator[Finding]:
        """Of modules with an output projection over joined heads."""
        for chart in patient.charts:
            for head, share in enumerate(shares(chart, patient)):
                if share < SHARE:
                    yield self.found({"head": head, "share": share}, chart.name)


def shares(chart: Chart, patient: Patient) -> list[float]:
    """‖c W_O^h‖ of every head by their sum; empty where the projection is not known."""
    modules = {} if patient.model is None else dict(patient.model.named_modules())
    projection = getattr(modules.get(chart.name), "output_proj", None)
    if not isinstance(projection, nn.Linear) or chart.value is None:
        return []
    context = chart.weights.to(chart.value.dtype) @ chart.value  # (B, H, Q, E)
    heads, width = context.shape[1], context.shape[-1]
    if heads * width != projection.in_features or heads < 2:
        return []
    blocks = projection.weight.detach().unflatten(1, (heads, width))  # (O, H, E)
    sizes = [
        float((context[:, h] @ blocks[:, h].T)[chart.queries.real].norm()) for h in range(heads)
    ]
    return [size / sum(sizes) if any(sizes) else 0.0 for size in sizes]
