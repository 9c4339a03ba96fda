"""Overfitting: a model that knows its examples by heart."""

from collections.abc import Iterator
from typing import ClassVar

import torch

from regard.types import Tensor

from ..cause import Cause, register
from ..finding import Finding
from ..patient import Patient

APART, LAST = 1.0, 0.5


@register
class TooLittleData(Cause):
    """Validation is far worse than training."""

    name: ClassVar = "too little data"
    severity: ClassVar = "suspicious"
    explains: ClassVar = ("decoder ignores the source", "sink")
    sign: ClassVar = (
        "the loss on examples held out is more than 1 nat above that of training; often cross "
        "attention rests on the last two keys with half of its weight and more"
    )
    fix: ClassVar = (
        "Get more pairs, guide attention by an aligner's links, or take a smaller model."
    )
    story: ClassVar = (
        "Alignment is learned late: a decoder first learns to write, then where to look. With a "
        "few "
        "hundred pairs it knows them by heart before it has to look at all; with a hundred "
        "thousand "
        "it must."
    )
    links: ClassVar = ("https://github.com/bentrevett/pytorch-seq2seq/issues/144",)

    def look(self, patient: Patient) -> Iterator[Finding]:
        """By the last losses that are known."""
        train = [line["loss"] for line in patient.history if line.get("loss") is not None]
        valid = [
            line["valid_loss"] for line in patient.history if line.get("valid_loss") is not None
        ]
        if not train or not valid:
            return
        apart = valid[-1] - sum(train[-3:]) / len(train[-3:])
        if apart <= APART:
            return
        told: dict[str, float] = {"valid − train loss": apart}
        for chart in patient.charts:
            if chart.kind == "cross" and chart.weights.shape[-1] > 4:
                told["cross weight on the last two keys"] = _last(chart.weights, chart.keys.sizes)
        yield self.found(told)


def _last(weights: Tensor, sizes: Tensor) -> float:
    places = torch.arange(weights.shape[-1], device=weights.device)
    last = (places >= sizes.unsqueeze(1) - 2) & (places < sizes.unsqueeze(1))
    return float((weights * last[:, None, None]).sum(dim=-1).mean())
