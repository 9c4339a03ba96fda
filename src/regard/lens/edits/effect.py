"""What an intervention changes: a number before, the same number after."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from regard.notebook import table
from regard.types import Float, Tensor

from .base import Intervention
from .run import edit


@dataclass(frozen=True, eq=False)
class Effect:
    """Numbers of a plain run and of an edited one, such as log p of some tokens.

    Args:
        before: without interventions.
        after: with them.
    """

    before: Float[Tensor, "*n"]
    after: Float[Tensor, "*n"]

    @property
    def change(self) -> Float[Tensor, "*n"]:
        """After minus before."""
        return self.after - self.before

    def __repr__(self) -> str:
        return f"Effect({_told(self.before)} → {_told(self.after)}, Δ {_told(self.change)})"

    def _repr_html_(self) -> str:
        numbers = zip(*map(_numbers, (self.before, self.after, self.change)), strict=True)
        return table(("before", "after", "Δ"), list(numbers))


def _numbers(x: Tensor) -> list[str]:
    return [f"{number:.6g}" for number in x.flatten().tolist()]


def _told(x: Tensor) -> str:
    numbers = _numbers(x)
    return numbers[0] if len(numbers) == 1 else f"[{', '.join(numbers)}]"


@torch.no_grad()
def effect(
    model: nn.Module, run: Callable[[], Float[Tensor, "*n"]], *interventions: Intervention
) -> Effect:
    """Run twice, plain and with interventions.

    >>> def log_p():
    ...     return model(ids).logits[0, -1].log_softmax(-1)[word]
    >>> effect(model, log_p, HeadOff("h.3.attn", heads=[7])).change

    Args:
        model: what is edited.
        run: runs the model, and gives the numbers that matter.
        interventions: as in :func:`edit`.
    """
    before = run()
    with edit(model, *interventions):
        return Effect(before, run())
