"""A mask that says the opposite."""

from typing import ClassVar

import torch

from regard.types import Tensor

from ..cause import EVERYTHING, ChartCause, register
from ..chart import Chart
from ..finding import Evidence
from ..patient import Patient

ALL = 0.99


@register
class MaskInverted(ChartCause):
    """Queries look at padding, or at the future, and at nothing else."""

    name: ClassVar = "mask inverted"
    severity: ClassVar = "broken"
    soft: ClassVar = False
    explains: ClassVar = (EVERYTHING,)
    sign: ClassVar = (
        "real queries put 0.99 of their weight and more on padding, on the future where nobody may "
        "look ahead, or where the mask that came with bare weights says no"
    )
    fix: ClassVar = (
        "True = may attend here and in scaled_dot_product_attention; key_padding_mask of "
        "nn.MultiheadAttention means the opposite: pass ~mask."
    )
    story: ClassVar = (
        "Libraries disagree on what True means. The model still trains: it learns from padding, or "
        "reads the word that it is to predict."
    )

    def see(self, chart: Chart, patient: Patient) -> Evidence | None:
        """How much lies where nothing should."""
        padding = mass_on(chart, chart.padding.expand(chart.weights.shape))
        if padding is not None and padding >= ALL:
            return {"on padding": padding}
        if chart.causal:
            ahead = mass_on(chart, chart.future.expand(chart.weights.shape))
            if ahead is not None and ahead >= ALL:
                return {"on the future": ahead}
        if not chart.query_side and chart.allowed is not None:
            forbidden = mass_on(chart, ~chart.allowed.expand(chart.weights.shape))
            if forbidden is not None and forbidden >= ALL:
                return {"where the mask says no": forbidden}
        return None


def mass_on(chart: Chart, there: Tensor) -> float | None:
    """The mean weight on some keys of real queries that have such keys and others."""
    rows = chart.real.squeeze(-1) & there.any(dim=-1) & (~there).any(dim=-1)
    rows = rows & (chart.weights.sum(dim=-1) > 0)
    if not rows.any():
        return None
    mass = (chart.weights.double() * there).sum(dim=-1)
    return float(torch.nan_to_num(mass)[rows].mean())
