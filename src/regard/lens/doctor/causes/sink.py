"""An attention sink: a key to rest on."""

from collections.abc import Iterator
from typing import ClassVar

import torch

from ..cause import Cause, register
from ..chart import Chart
from ..finding import Finding
from ..patient import Patient

MUCH, IDLE, CROSS, ROWS = 0.3, 0.5, 0.5, 0.8


@register
class Sink(Cause):
    """One key takes much of the weight of all queries."""

    name: ClassVar = "sink"
    severity: ClassVar = "normal"
    sign: ClassVar = (
        "one key gets more than 0.3 of all queries' weight on the mean, and its value is at most "
        "half "
        "as long as the median; in cross attention, the last key gets half of the weight in 80 % "
        "of "
        "the rows: suspicious for whoever wants alignments"
    )
    fix: ClassVar = (
        "A place to rest: a head that finds nothing looks where there is nothing to take."
    )
    crossing: ClassVar = (
        "Leave the end out when you read alignments, take the step behind (shift 1), or guide "
        "one head."
    )
    story: ClassVar = (
        "Softmax must sum to one, so a head with nothing to do parks its weight where it does no "
        "harm: on <s>, <eos>, [SEP] or a comma, whose values are small."
    )
    links: ClassVar = (
        "https://arxiv.org/abs/2410.10781",
        "https://github.com/facebookresearch/fairseq/issues/4446",
    )

    def look(self, patient: Patient) -> Iterator[Finding]:
        """Head by head; in cross attention all heads together."""
        for chart in patient.charts:
            if chart.weights.shape[-2] < 4 or chart.weights.shape[-1] < 6:
                continue
            if chart.kind == "cross":
                yield from self._across(chart)
            elif chart.kind == "self":
                yield from self._within(chart)

    def _across(self, chart: Chart) -> Iterator[Finding]:
        last = chart.keys.ends[1].view(-1, 1, 1, 1)
        mass = torch.gather(chart.weights, -1, last.expand(*chart.weights.shape[:-1], 1)).squeeze(
            -1
        )
        share = chart.over_rows((mass >= CROSS).to(mass.dtype))
        if bool((share >= ROWS).all()):
            yield self.found(
                {"rows that rest on the end": float(share.mean())},
                chart.name,
                severity="suspicious",
                fix=self.crossing,
            )

    def _within(self, chart: Chart) -> Iterator[Finding]:
        if chart.value is None:
            return
        queries = chart.seen.sum(dim=-2).clamp(min=1)
        means = (chart.weights * chart.seen).sum(dim=-2) / queries
        means = means.masked_fill(queries * 2 < chart.seen.any(-1).sum(-1, keepdim=True), 0)
        heaviest, at = means.max(dim=-1)
        sizes = chart.value.norm(dim=-1)
        own = torch.gather(sizes, -1, at.unsqueeze(-1)).squeeze(-1)
        ratio = own / sizes.median(dim=-1).values.clamp(min=1e-12)
        for head in range(chart.weights.shape[1]):
            mass, value = float(heaviest[:, head].mean()), float(ratio[:, head].mean())
            if mass > MUCH and value <= IDLE:
                told = {"head": head, "mean weight": mass, "value / median": value}
                yield self.found(told, chart.name)
