"""Gradients of a number by the contexts of many looks, in one backward pass."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from regard.errors import ChoiceError
from regard.types import Float, Tensor

if TYPE_CHECKING:
    from .look import Look


def gradients_of(
    looks: Sequence["Look"], target: Float[Tensor, ""], *, retain_graph: bool = True
) -> list[Float[Tensor, "*B Q E"]]:
    r"""∂ target / ∂ context of every look, without any map.

    .. math:: \frac{\partial y}{\partial \alpha_{ij}} = \langle \frac{\partial y}{\partial c_i},
              v_j \rangle

    Args:
        looks: of a capture with ``graph=True``.
        target: one number that the model computed inside the block.
        retain_graph: whether another backward pass may follow.

    Raises:
        ChoiceError: a look whose context is not known, or was captured without its graph.
    """
    outputs = [_output(look) for look in looks]
    found = torch.autograd.grad(
        target, outputs, retain_graph=retain_graph, allow_unused=True, materialize_grads=True
    )
    return [_as_context(look, g) for look, g in zip(looks, found, strict=True)]


def _output(look: "Look") -> Tensor:
    """The tensor that the model went on with."""
    output = getattr(look.event, "output", look.context)
    if output is None or not output.requires_grad:
        raise ChoiceError(
            f"the gradient of {look.name!r} needs its context with the graph behind it: capture "
            "with graph=True, outside of torch.no_grad(), a module that tells its context"
        )
    return output


def _as_context(look: "Look", gradient: Tensor) -> Tensor:
    """The gradient laid out as the context is."""
    laid_out = getattr(look.event, "laid_out", None)
    return gradient if laid_out is None else laid_out(gradient)
