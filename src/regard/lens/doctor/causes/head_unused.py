"""A head that adds nothing."""

from collections.abc import Iterator
from typing import ClassVar

from torch import nn

from ..cause import Cause, register
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
        modules = {} if patient.model is None else dict(patient.model.named_modules())
        for chart in patient.charts:
            projection = getattr(modules.get(chart.name), "output_proj", None)
            if not isinstance(projection, nn.Linear) or chart.value is None:
                continue
            context = chart.weights.to(chart.value.dtype) @ chart.value  # (B, H, Q, E)
            heads, width = context.shape[1], context.shape[-1]
            if heads * width != projection.in_features or heads < 2:
                continue
            blocks = projection.weight.detach().unflatten(1, (heads, width))  # (O, H, E)
            sizes = [
                float((context[:, h] @ blocks[:, h].T)[chart.queries.real].norm())
                for h in range(heads)
            ]
            total = sum(sizes)
            for head, size in enumerate(sizes):
                if size < SHARE * total or not total:
                    told = {"head": head, "share": size / total if total else 0.0}
                    yield self.found(told, chart.name)
