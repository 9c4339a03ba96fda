"""Gates that scale what passes: open or shut whatever comes, or hardly ever in between."""

from dataclasses import dataclass
from typing import ClassVar

import torch

from regard.types import Bool, Float, Tensor

from ...maps import Maps
from ..role import LEAST, ROLES, Role

SQUEEZE = "https://arxiv.org/abs/1709.01507"


@dataclass(frozen=True)
class ConstantGate(Role):
    r"""Every channel is scaled alike whatever comes: the gate's standard deviation over inputs.

    The score is 1 − σ/0.01 where σ, the mean over channels, is below 0.01, else 0. The sums are
    those of the gates and of their squares, channel by channel, and the number of inputs.
    """

    title: ClassVar = "constant gate"
    equation: ClassVar = "mean over channels of std over inputs < 0.01"
    paper: ClassVar = SQUEEZE
    least: ClassVar = 1e-9
    rows: ClassVar = 8
    still: ClassVar = 0.01

    def measure(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """Sums of gates."""
        if maps.kind != "gate":
            return None
        gates = maps.weights.double().flatten(2)  # (B, 1, C)
        return torch.cat([gates, gates.square(), torch.ones_like(gates[..., :1])], dim=-1)

    def score(self, sums: Float[Tensor, "*B F"]) -> Float[Tensor, "*B"]:
        """How still they are."""
        return (1 - self.deviation(sums) / self.still).clamp(min=0)

    def deviation(self, sums: Float[Tensor, "*B F"]) -> Float[Tensor, "*B"]:
        """Mean over channels of the standard deviation over inputs."""
        count = sums[..., -1:].clamp(min=LEAST)
        first, second = sums[..., :-1].chunk(2, dim=-1)
        return (second / count - (first / count).square()).clamp(min=0).sqrt().mean(dim=-1)

    def chance(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """Gates drawn evenly between 0 and 1."""
        found = self.measure(maps)
        if found is not None:
            width = (found.shape[-1] - 1) // 2
            found[..., :width], found[..., width:-1] = 0.5, 1 / 3
        return found

    def note(self, sums: Float[Tensor, " F"]) -> str:
        """Mean and deviation."""
        mean = float(sums[: (len(sums) - 1) // 2].mean() / sums[-1])
        return f"mean {mean:.2f}, std over inputs {float(self.deviation(sums)):.3f}"


@dataclass(frozen=True)
class SaturatedGate(Role):
    """Nearly every gate is shut or wide open: below 0.05 or above 0.95."""

    title: ClassVar = "saturated gate"
    equation: ClassVar = "share of gates < 0.05 or > 0.95"
    paper: ClassVar = SQUEEZE
    least: ClassVar = 0.9

    def measure(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """Gates at the ends."""
        if maps.kind != "gate":
            return None
        gates = maps.weights.flatten(2)
        ends = (gates < 0.05) | (gates > 0.95)
        count = torch.full(ends.shape[:2], float(gates.shape[-1]), dtype=torch.float64)
        return torch.stack([ends.sum(dim=-1).double(), count], dim=-1)

    def chance(self, maps: Maps) -> Float[Tensor, "B H F"] | None:
        """Gates drawn evenly between 0 and 1."""
        found = self.measure(maps)
        if found is not None:
            found[..., 0] = 0.1 * found[..., -1]
        return found

    def named(self, sums: Float[Tensor, "*B F"], chance: Float[Tensor, "*B"]) -> Bool[Tensor, "*B"]:
        """More than nine in ten."""
        return (self.score(sums) > self.least) & self.enough(sums)


ROLES.add("constant gate", ConstantGate())
ROLES.add("saturated gate", SaturatedGate())
