r"""Learning rates over time: ``schedule(step)`` is the factor of the base rate.

Updates count from 1; at step 0 nothing has happened yet. Each schedule is a value without state,
so a resumed run needs nothing but its step. All may warm up: during the first :math:`w` steps the
factor grows as :math:`t / w`.
"""

import math
from abc import abstractmethod
from typing import Annotated, Literal

from pydantic import Field, model_validator

from regard.config import Config

from ..errors import RangeError


class Warmed(Config):
    """A schedule that starts with a straight line from 0 to 1."""

    warmup: int = Field(default=0, ge=0)
    """Updates until the rate is at its highest."""

    def __call__(self, step: int) -> float:
        """The factor of the base rate at ``step``.

        Raises:
            RangeError: ``step`` is negative.
        """
        if step < 0:
            raise RangeError(f"a schedule needs a step from 0 on, got {step}; count updates from 1")
        return step / self.warmup if step < self.warmup else self.after(step)

    @abstractmethod
    def after(self, step: int) -> float:
        """The factor once warm, ``step`` counted from the start of the run."""


class Constant(Warmed):
    """The base rate itself, once warm."""

    kind: Literal["constant"] = "constant"

    def after(self, step: int) -> float:
        """1."""
        return 1.0


class InverseSquareRoot(Warmed):
    r"""Falls with the root of the step.

    .. math:: f(t) = p \cdot \min(t / w, \sqrt{w / t})

    Vaswani et al. 2017, Eq. 3 (https://arxiv.org/abs/1706.03762), whose factor is
    :func:`noam`'s.
    """

    kind: Literal["inverse_square_root"] = "inverse_square_root"
    warmup: int = Field(default=4000, ge=1)
    """Updates until the rate is at its highest."""
    peak: float = Field(default=1.0, gt=0)
    """The highest factor, :math:`p`."""

    def __call__(self, step: int) -> float:
        """The factor of the base rate at ``step``."""
        return self.peak * super().__call__(step)

    def after(self, step: int) -> float:
        """The root of ``warmup / step``."""
        return math.sqrt(self.warmup / step)


class Planned(Warmed):
    r"""A schedule that comes down to ``end`` at step ``steps`` and stays there.

    With :math:`u = (t - w) / (T - w)`, how far the run is, between 0 and 1.
    """

    steps: int = Field(ge=1)
    """Length of the run, :math:`T`."""
    end: float = Field(default=0.0, ge=0, le=1)
    """The last factor, :math:`e`."""

    @model_validator(mode="after")
    def _comes_down(self) -> "Planned":
        if self.warmup >= self.steps:
            raise ValueError(
                f"a schedule needs to be warm before it ends, got warmup {self.warmup} and steps "
                f"{self.steps}; warm up for fewer steps"
            )
        return self

    def after(self, step: int) -> float:
        """The factor once warm."""
        done = min(1.0, (step - self.warmup) / (self.steps - self.warmup))
        return self.end + (1 - self.end) * self.height(done)

    @abstractmethod
    def height(self, done: float) -> float:
        """The way from ``end`` up to 1 that is left when ``done`` of the run is over."""


class Linear(Planned):
    r"""A straight line down.

    .. math:: f(t) = e + (1 - e) (1 - u)
    """

    kind: Literal["linear"] = "linear"

    def height(self, done: float) -> float:
        """What is left of the run."""
        return 1 - done


class Cosine(Planned):
    r"""Half a wave down.

    .. math:: f(t) = e + (1 - e) \frac{1 + \cos(\pi u)}{2}

    Loshchilov and Hutter 2017, Eq. 5, without restarts (https://arxiv.org/abs/1608.03983).
    """

    kind: Literal["cosine"] = "cosine"

    def height(self, done: float) -> float:
        """Half a wave."""
        return (1 + math.cos(math.pi * done)) / 2


class Exponential(Warmed):
    r"""Multiplied by ``rate`` over every ``every`` steps, smoothly, once warm.

    .. math:: f(t) = r^{(t - w) / n}
    """

    kind: Literal["exponential"] = "exponential"
    rate: float = Field(default=0.5, gt=0, le=1)
    """What is left of the factor after ``every`` steps, :math:`r`."""
    every: int = Field(ge=1)
    """Steps, :math:`n`."""

    def after(self, step: int) -> float:
        """A power of ``rate``."""
        return float(self.rate ** ((step - self.warmup) / self.every))


Schedule = Annotated[
    Constant | InverseSquareRoot | Linear | Cosine | Exponential, Field(discriminator="kind")
]
"""Any of these, as a field of a configuration."""
SCHEDULES: dict[str, type[Warmed]] = {
    "constant": Constant,
    "inverse_square_root": InverseSquareRoot,
    "linear": Linear,
    "cosine": Cosine,
    "exponential": Exponential,
}
"""The same by name."""


def noam(model_dim: int, *, warmup: int = 4000) -> InverseSquareRoot:
    r"""The Transformer's schedule, for a base rate of 1.

    .. math:: f(t) = d^{-1/2} \min(t^{-1/2}, t \, w^{-3/2})
    """
    return InverseSquareRoot(warmup=warmup, peak=(model_dim * warmup) ** -0.5)
