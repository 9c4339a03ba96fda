"""Nadaraya-Watson regression as attention: the numbers of the figure."""

from dataclasses import dataclass

import torch

from regard.functional.attend import attend
from regard.functional.scores import Score
from regard.functional.weigh import weigh
from regard.types import Float, Tensor

NUM_POINTS, NUM_QUERIES, END = 100, 241, 4.0
NOISE = 0.5
"""Standard deviation of ε."""


def truth(x: Float[Tensor, " N"]) -> Float[Tensor, " N"]:
    """The function behind the noise, 2 sin x + x."""
    return 2 * torch.sin(x) + x


@dataclass(frozen=True, eq=False)
class Points:
    """Noisy points of :func:`truth`: keys ``x`` in rising order, values ``y``."""

    x: Float[Tensor, " K"]
    y: Float[Tensor, " K"]

    @classmethod
    def draw(cls, seed: int) -> "Points":
        """A hundred points: x uniform on [0, 4], y = 2 sin x + x + ε with normal ε."""
        generator = torch.Generator().manual_seed(seed)
        x = torch.rand(NUM_POINTS, generator=generator, dtype=torch.float64).mul(END).sort().values
        noise = torch.randn(NUM_POINTS, generator=generator, dtype=torch.float64)
        return cls(x, truth(x) + NOISE * noise)


@dataclass(frozen=True, eq=False)
class Regression:
    r"""One kernel fitted to points.

    .. math:: g(x) = \sum_i y_i f(x, x_i) / \sum_j f(x, x_j)

    Nadaraya 1964 (https://doi.org/10.1137/1109020), Watson 1964. The context of a query x over keys
    x_i and values y_i, weighed in proportion to a kernel; not a number where no key is in reach.
    """

    kernel: Score
    x: Float[Tensor, " Q"]
    y: Float[Tensor, " Q"]
    weights: Float[Tensor, "Q K"]

    @classmethod
    def of(cls, kernel: Score, points: Points) -> "Regression":
        """The curve over [0, 4] and its weights."""
        x = torch.linspace(0, END, NUM_QUERIES, dtype=torch.float64)
        query, key, value = x.unsqueeze(-1), points.x.unsqueeze(-1), points.y.unsqueeze(-1)
        context = attend(query, key, value, score=kernel, normalise="proportional")
        weights = weigh(query, key, score=kernel, normalise="proportional")
        reached = weights.sum(dim=-1) > 0
        return cls(kernel, x, context.squeeze(-1).where(reached, torch.nan), weights)

    @property
    def error(self) -> float:
        """Root mean square distance from the truth, where there is a curve."""
        return float((self.y - truth(self.x)).square().nanmean().sqrt())

    @property
    def breadth(self) -> float:
        """How many points a query averages: exp of its entropy, where there is a curve."""
        entropy = torch.special.entr(self.weights).sum(dim=-1)
        return float(entropy[self.y.isfinite()].exp().mean())
