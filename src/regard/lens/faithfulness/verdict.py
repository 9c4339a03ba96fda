"""Does a column agree with what happens when a token is left out: one number, and its band."""

from dataclasses import dataclass

import torch

from regard.errors import ShapeError
from regard.types import Float, Tensor

SHUFFLES = 1000
TOP = 3


@dataclass(frozen=True)
class Agreement:
    """How well one ranking of keys agrees with another.

    Args:
        tau: Kendall's τ_b, −1 to 1.
        band: the τ that 95 % of random rankings stay below in size.
        top: how many of the three highest keys are the same.
        keys: how many keys were ranked.
    """

    tau: float
    band: float
    top: int
    keys: int

    @property
    def agrees(self) -> bool:
        """Whether it is more than chance."""
        return self.tau > self.band

    def sentence(self, what: str, yardstick: str = "leave-one-out") -> str:
        """One sentence."""
        if self.agrees:
            return (
                f"{what} agrees with {yardstick} here: τ = {self.tau:.2f}, chance ± {self.band:.2f}"
            )
        return (
            f"{what} does not agree with {yardstick} here: τ = {self.tau:.2f}, chance ± "
            f"{self.band:.2f}"
        )


def kendall(one: Float[Tensor, "*B K"], other: Float[Tensor, " K"]) -> Float[Tensor, "*B"]:
    r"""Kendall's :math:`\tau_b`: pairs in the same order less pairs in another, ties left out.

    .. math:: \tau_b = \frac{C - D}{\sqrt{(n_0 - n_1)(n_0 - n_2)}}

    0 where one of them is constant.

    Raises:
        ShapeError: rankings of different keys.
    """
    if one.shape[-1] != other.shape[-1]:
        raise ShapeError(
            f"τ needs two rankings of the same keys, got {one.shape} and {other.shape}"
        )
    rows, columns = torch.triu_indices(other.shape[-1], other.shape[-1], 1)
    first = torch.sign(one[..., rows] - one[..., columns]).double()
    second = torch.sign(other[rows] - other[columns]).double()
    sizes = (first.square().sum(dim=-1) * second.square().sum()).sqrt()
    return (first * second).sum(dim=-1) / sizes.clamp(min=1e-12)


def agreement(
    column: Float[Tensor, " K"], yardstick: Float[Tensor, " K"], *, seed: int = 0
) -> Agreement:
    """τ_b of a column with a yardstick, and the band of 1,000 shuffles of the column."""
    column, yardstick = column.detach().double().cpu(), yardstick.detach().double().cpu()
    count = len(column)
    generator = torch.Generator().manual_seed(seed)
    orders = torch.rand(SHUFFLES, count, generator=generator).argsort(dim=-1)
    chance = kendall(column[orders], yardstick).abs()
    top = min(TOP, count)
    best = [set(x.topk(top).indices.tolist()) for x in (column, yardstick)]
    tau = float(kendall(column, yardstick))
    return Agreement(tau, float(torch.quantile(chance, 0.95)), len(best[0] & best[1]), count)
