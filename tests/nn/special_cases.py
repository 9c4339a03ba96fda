"""One small call of each special mechanism: how it is made, and what it is called with."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from regard.nn import (
    AgentAwareAttention,
    AttentionPooling,
    NadarayaWatson,
    PairBiasedAttention,
    TimeMixing,
    TriangleAttention,
)


@dataclass(frozen=True, eq=False)
class ModuleCase:
    """A module, the shapes of its tensors, and the rest of its call."""

    name: str
    make: Callable[[], nn.Module]
    shapes: tuple[tuple[int, ...], ...]
    rest: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name

    def tensors(self, dtype: torch.dtype = torch.float32) -> list[Tensor]:
        """Normal numbers, always the same."""
        generator = torch.Generator().manual_seed(5)
        numbers = (torch.randn(s, generator=generator, dtype=torch.float64) for s in self.shapes)
        return [x.to(dtype) for x in numbers]

    def made(self, dtype: torch.dtype = torch.float32) -> nn.Module:
        """The module, always with the same parameters."""
        torch.manual_seed(3)
        return self.make().to(dtype)


LENGTHS = torch.tensor([4, 7])

CASES = [
    ModuleCase("pooling", lambda: AttentionPooling(6, 3), ((2, 7, 6),), {"mask": LENGTHS}),
    ModuleCase("additive pooling", lambda: AttentionPooling(6, 3, score="additive"), ((2, 7, 6),)),
    ModuleCase(
        "nadaraya_watson",
        lambda: NadarayaWatson(width=0.7, learnable=True),
        ((2, 5, 3), (2, 7, 3), (2, 7, 4)),
        {"mask": LENGTHS},
    ),
    ModuleCase(
        "agent_aware",
        lambda: AgentAwareAttention(6, 2),
        ((2, 7, 6),),
        {"agents": 3, "mask": LENGTHS},
    ),
    ModuleCase(
        "pair_biased",
        lambda: PairBiasedAttention(6, 2, pair_dim=5),
        ((2, 3, 7, 6), (2, 7, 7, 5)),
        {"mask": LENGTHS},
    ),
    ModuleCase(
        "triangle starting",
        lambda: TriangleAttention(6, 2, "starting"),
        ((2, 7, 7, 6),),
        {"mask": LENGTHS},
    ),
    ModuleCase(
        "triangle ending",
        lambda: TriangleAttention(6, 2, "ending"),
        ((2, 7, 7, 6),),
        {"mask": LENGTHS},
    ),
    ModuleCase("time_mixing", lambda: TimeMixing(6, 5), ((2, 7, 6),), {"mask": LENGTHS}),
]
