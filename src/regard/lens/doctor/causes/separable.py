"""Scores in which the query cancels."""

from collections.abc import Iterator
from typing import ClassVar

import torch

from ..cause import Cause, register
from ..chart import Chart, residual_ratio
from ..finding import Evidence, Finding
from ..patient import Patient

ALL, SPREAD, ALIKE = 0.98, 0.2, 0.05


@register
class QueryDoesNotMatter(Cause):
    """Every query has the same map: only the key decides."""

    name: ClassVar = "query does not matter"
    severity: ClassVar = "broken"
    explains: ClassVar = ("sink", "keys alike", "broad by design", "head unused")
    sign: ClassVar = (
        "key and either share of the scores are 0.98 and more in every head of a module, with a "
        "spread σ above 0.2, or W_q is zero; ‖W_q‖ and how far queries differ, "
        "‖Q − 1q̄ᵀ‖ / ‖Q‖ < 0.05, say why"
    )
    fix: ClassVar = "Keep the tanh: in v·(W_q q + W_k k) softmax cancels what comes from the query."
    zero: ClassVar = "Initialise W_q: it is zero, so that all queries are one."
    constant: ClassVar = "Feed the decoder's own state as the query: it is the same in every step."
    story: ClassVar = (
        "softmax cancels whatever all keys of a row have in common. A score that is a sum of a "
        "part "
        "of the query and a part of the key has nothing else: every query gets the same weights, "
        "and the decoder a constant context."
    )
    links: ClassVar = ("https://github.com/AuCson/PyTorch-Batch-Attention-Seq2seq/issues/3",)

    def look(self, patient: Patient) -> Iterator[Finding]:
        """Module by module, and which of three reasons it is."""
        for chart in patient.charts:
            if chart.kind in ("pool", "gate") or chart.weights.shape[-2] < 3:
                continue
            found = _zero(chart) or _separable(chart)
            if found is not None:
                yield self.found(found, chart.name, fix=self._why(chart))

    def _why(self, chart: Chart) -> str:
        query = chart.projections.get("query")
        if query is not None and not query.weight.any():
            return self.zero
        if chart.query is not None and residual_ratio(chart.query, chart.queries.real) < ALIKE:
            return self.constant
        return self.fix


def _zero(chart: Chart) -> Evidence | None:
    query = chart.projections.get("query")
    if query is None or query.weight.any():
        return None
    return {"‖W_q‖": 0.0}


def _separable(chart: Chart) -> Evidence | None:
    shares = chart.shares
    if shares is None or not bool((shares.spread > SPREAD).all()):
        return None
    alone = shares.key + shares.either
    if not bool((alone >= ALL).all()):
        return None
    if bool((shares.either > 0.5).any()):  # a trend along the sequence is a position, too
        return None
    told = {"key share": float(torch.min(alone)), "σ": float(shares.spread.mean())}
    if chart.query is not None:
        told["queries differ by"] = residual_ratio(chart.query, chart.queries.real)
    return told
