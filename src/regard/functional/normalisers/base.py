"""What every normaliser is: a frozen value that turns a row of scores into weights."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import torch

from regard.errors import DtypeError
from regard.registry import Registry
from regard.types import Bool, Int, Tensor

from ..forms import Pairs, Tile
from ..value import Value

Allowed = Bool[Tensor, "*A #r #c"] | None
"""The pairs that may attend; ``None`` is all."""


@dataclass(frozen=True, repr=False)
class Normaliser(Value):
    """A function from scores to weights, row by row over the last axis.

    Masked weights are exactly 0, and a row with no allowed key is all 0, in value and gradient.
    """

    name: ClassVar[str]
    step: ClassVar[str]
    """The equation as :func:`regard.explain` writes it: scores s, weights α; ``α = name(s)`` if
    not given."""
    shift_invariant: ClassVar[bool] = True
    """Whether adding one number to a whole row changes nothing."""
    composed: ClassVar[bool] = False
    """Whether it is made of a model's parameters, and so has no name to be chosen by."""
    draws: ClassVar[bool] = False
    """Whether it is random: :meth:`bound` fixes it for one call."""
    is_softmax: ClassVar[bool] = False
    """Whether it is the softmax over the allowed keys: fused kernels compute that one."""
    is_proportion: ClassVar[bool] = False
    """Whether weights are scores over their sum: of exponentials, that is the softmax of their
    logarithms."""

    def __init_subclass__(cls) -> None:
        if "name" in vars(cls) and "step" not in vars(cls):
            cls.step = f"α = {cls.name}(s)"

    @property
    def support_alpha(self) -> float | None:
        """Alpha, where it is an alpha-entmax with a Jacobian over the support, 1 < alpha <= 2.

        Gradients of sparse blocks are then computed over the pairs with a weight alone.
        """
        return None

    @abstractmethod
    def __call__(self, scores: Pairs, allowed: Allowed = None, at: Tile | None = None) -> Pairs:
        """Weights of complete rows.

        Args:
            scores: in float32 or float64.
            allowed: True = may attend; ``None`` allows all.
            at: where the rows lie, for normalisers that draw.
        """

    def covered(self, scores: Pairs, allowed: Bool[Tensor, "*A #r #c"], at: Tile) -> Pairs:
        """The same, where it is certain that each row has an allowed key."""
        return self(scores, allowed, at)

    def tensors(self) -> tuple[Tensor, ...]:
        """Its parameters, which may carry gradients; those with axes are where the scores are."""
        return ()

    def given(self, tensors: tuple[Tensor, ...]) -> "Normaliser":
        """The same with these in place of :meth:`tensors`."""
        return self

    def of_heads(self, heads: Int[Tensor, " h"]) -> "Normaliser":
        """The same for some of the heads, the axis before the positions."""
        return self

    def check(self, leading: tuple[int, ...]) -> None:
        """Raise if its parameters do not fit scores (*leading, Q, K)."""
        return

    def bound(self) -> "Normaliser":
        """The normaliser for one call: with its seed drawn, where it draws."""
        return self

    def __repr__(self) -> str:
        return self.name


def nonempty(allowed: Bool[Tensor, "*A r c"]) -> Bool[Tensor, "*A r 1"]:
    """Rows that have an allowed key."""
    return allowed.any(dim=-1, keepdim=True)


def lowest(scores: Tensor) -> float:
    """The most negative finite number: what a masked score becomes, so that no row is all −∞."""
    return torch.finfo(scores.dtype).min


named: Registry[Normaliser] = Registry("normaliser")


def register(normaliser: type[Normaliser]) -> None:
    """Let a normaliser be chosen by its name: in calls, configs, commands and the catalogue."""
    named.add_class(normaliser, normaliser.name, "normalisers")


def resolve(normaliser: Normaliser | str) -> Normaliser:
    """A normaliser from a value or a name.

    Raises:
        ChoiceError: no such name, or one that cannot do without parameters.
        DtypeError: something that is no normaliser.
    """
    if isinstance(normaliser, Normaliser):
        return normaliser
    if isinstance(normaliser, str):
        return named[normaliser]
    raise DtypeError(
        f"normalise needs a name or a value of regard.normalisers, got {type(normaliser).__name__}"
    )
