"""Softmax over queries, or over an axis of length one."""

from typing import ClassVar

import torch

from ..cause import EVERYTHING, ChartCause, register
from ..chart import Chart
from ..finding import Evidence
from ..patient import Patient

COLUMNS, ROWS = 1e-3, 1e-2


@register
class WrongAxis(ChartCause):
    """Columns sum to one, and rows do not."""

    name: ClassVar = "softmax over the wrong axis"
    severity: ClassVar = "broken"
    soft: ClassVar = False
    explains: ClassVar = (EVERYTHING,)
    sign: ClassVar = (
        "columns sum to 1 within 0.001 while rows are off by more than 0.01; or every weight is "
        "exactly 1, as of an axis of length one"
    )
    fix: ClassVar = "Normalise over keys: softmax(dim=-1) of scores (…, queries, keys)."
    story: ClassVar = (
        "softmax needs to know its axis, and a transposed score map or an axis that was squeezed "
        "moves it. Nothing fails: shapes fit, the loss even falls, only every key now shares "
        "itself "
        "out among queries."
    )
    links: ClassVar = (
        "https://github.com/PetrochukM/PyTorch-NLP/issues/2",
        "https://github.com/keon/seq2seq/issues/6",
    )

    def see(self, chart: Chart, patient: Patient) -> Evidence | None:
        """Sums both ways."""
        weights = chart.weights.double()
        if weights.numel() > len(weights) and bool((weights == 1).all()):
            return {"weights": "all exactly 1", "rows sum to": float(weights.shape[-1])}
        real = chart.real & chart.rows.unsqueeze(-1)
        if not real.any():
            return None
        row_sums = weights.sum(dim=-1, keepdim=True)[real.expand(*weights.shape[:-1], 1)]
        columns = weights.sum(dim=-2)[(chart.seen.any(dim=-2))]
        rows_off = float((row_sums - 1).abs().amax())
        if rows_off <= ROWS or not len(columns):
            return None
        off = float((columns - 1).abs().amax())
        near = float((columns - 1).abs().median())
        if min(off, near) > COLUMNS or torch.isnan(columns).any():
            return None
        return {"rows off by": rows_off, "columns off by": near}
