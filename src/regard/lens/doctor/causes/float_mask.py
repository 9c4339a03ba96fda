"""Zeros and ones added to scores."""

from typing import ClassVar

from ..cause import ChartCause, register
from ..chart import Chart
from ..finding import Evidence
from ..patient import Patient


@register
class FloatMask(ChartCause):
    """A mask of floats that holds nothing but 0 and 1."""

    name: ClassVar = "0/1 mask added to scores"
    severity: ClassVar = "broken"
    soft: ClassVar = False
    explains: ClassVar = ("padding leaks", "causal leak")
    sign: ClassVar = "the mask that was passed is of floats, and all of them are 0 or 1"
    fix: ClassVar = "Pass booleans, True = may attend, or 0 and −inf."
    story: ClassVar = (
        "A mask of floats is added to the scores. Of 0 and 1 it forbids nothing: what is masked is "
        "only e times less likely."
    )
    links: ClassVar = ("https://huggingface.co/docs/transformers/main/en/attention_interface",)

    def see(self, chart: Chart, patient: Patient) -> Evidence | None:
        """Look at its values."""
        mask = chart.given_mask
        if mask is None or not mask.is_floating_point():
            return None
        ones = int((mask == 1).sum())
        if not ones or ones + int((mask == 0).sum()) != mask.numel():
            return None
        return {"ones": ones, "zeros": mask.numel() - ones}
