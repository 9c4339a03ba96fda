"""The entmax package: eager scores, its normaliser, eager pooling."""

from collections.abc import Callable
from typing import Any

import torch

from ..case import Case
from ..inputs import Inputs
from .system import Builder, Forward, System


def normalised(name: str, **options: Any) -> Builder:
    """Scaled dot product scores through ``entmax.<name>``."""

    def build(case: Case, inputs: Inputs) -> Forward:
        import entmax

        normalise: Callable[..., torch.Tensor] = getattr(entmax, name)
        query, key, value = inputs.query, inputs.key, inputs.value
        scale = query.shape[-1] ** -0.5

        def forward() -> torch.Tensor:
            scores = (query * scale) @ key.transpose(-1, -2)
            return normalise(scores, dim=-1, **options) @ value

        return forward

    return build


ENTMAX = System(
    name="entmax",
    note="the entmax package on eager scores, with its default full sort",
    builders={"sparsemax": normalised("sparsemax"), "entmax15": normalised("entmax15")},
    module="entmax",
)

ENTMAX_PARTIAL = System(
    name="entmax, k=100",
    note="the entmax package, sorting the 100 largest first and more only where needed",
    builders={
        "sparsemax": normalised("sparsemax", k=100),
        "entmax15": normalised("entmax15", k=100),
    },
    module="entmax",
)
