"""Which look of a record, and which of its heads."""

from typing import Literal

from regard.errors import ChoiceError, RangeError
from regard.types import Float, Tensor

from ..look import Look
from ..record import Record

Head = int | Literal["mean"]
"""One head counted from 0, or the mean of all."""


def chosen(
    record: Record, *, cross: bool = False, module: str | None = None, layer: int | None = None
) -> list[Look]:
    """Looks of one kind, in the order of the model; gates are none of them.

    Args:
        record: of a capture.
        cross: whether attention to another sequence is wanted, if there is any.
        module: a part of the name of the modules that are meant.
        layer: one of them, counted from 0, or from the last backwards: -1; every one if not given.

    Raises:
        ChoiceError: there is no attention of such a name.
        RangeError: there is no such layer.
    """
    looks = [look for look in record.looks if look.kind != "gate"]
    named = [look for look in looks if module is None or module in look.name]
    if not named:
        known = ", ".join(dict.fromkeys(look.name for look in looks)) or "none"
        raise ChoiceError(f"no attention is called like {module!r}. Captured: {known}.")
    across = [look for look in named if look.kind == "cross"]
    alike = across if cross and across else [look for look in named if look not in across] or named
    if layer is None:
        return alike
    if not -len(alike) <= layer < len(alike):
        raise RangeError(f"there are {len(alike)} layers, counted from 0, got layer {layer}")
    return [alike[layer]]


def weights_of(
    look: Look, head: Head = "mean", *, batch: int = 0, force: bool = False
) -> Float[Tensor, "Q K"]:
    """One map: a head, or the mean of all.

    Raises:
        RangeError: there is no such head.
    """
    weights = every_head(look, batch=batch, force=force)
    if head == "mean":
        return weights.mean(dim=0)
    if not 0 <= head < len(weights):
        raise RangeError(f"{look.name!r} has {len(weights)} heads, counted from 0, got {head}")
    return weights[head]


def every_head(look: Look, *, batch: int = 0, force: bool = False) -> Float[Tensor, "H Q K"]:
    """The maps of all heads of one element of the batch."""
    weights = look.weigh(force=force).detach().float().cpu()
    leading = weights.dim() - 2
    if leading == 0:
        return weights.unsqueeze(0)
    if leading == 1:
        return weights[batch].unsqueeze(0)
    return weights.flatten(0, -4)[batch] if leading > 2 else weights[batch]
