"""Derivatives beyond the first: second ones, those of ``torch.func``, and forward ones.

A compiled kernel knows its first gradient and no more. Where more is asked for, its definition in
torch's own operations takes its place, which can be differentiated as often as one likes; memory
then grows with what the definition builds.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeGuard

import torch
from torch import Tensor
from torch.autograd import forward_ad

Definition = Callable[..., Tensor]
"""What a kernel computes, from the same tensors in the same order, by torch's operations."""


def apply(function: type[torch.autograd.Function], *arguments: object) -> Any:
    """``function.apply(*arguments)``, which torch leaves untyped."""
    return function.apply(*arguments)


_innermost = torch._C._functorch.peek_interpreter_stack


def transformed() -> bool:
    """Whether ``torch.func`` or forward differentiation is at work, which kernels cannot serve."""
    if torch.compiler.is_compiling():
        return False
    return _innermost() is not None or forward_ad._current_level >= 0


def plainly_run() -> bool:
    """Whether this is neither compiled nor :func:`transformed`."""
    if torch.compiler.is_compiling():
        return False
    return _innermost() is None and forward_ad._current_level < 0


def differentiated_again(gradient: Tensor) -> bool:
    """Inside a backward pass: whether its result is to be differentiated, or stands for many."""
    if torch.compiler.is_compiling():
        return False
    return torch.is_grad_enabled() or transformed() or is_batched(gradient)


def is_batched(tensor: Tensor) -> bool:
    """Whether this stands for many tensors, inside ``vmap`` or ``is_grads_batched``."""
    if torch.compiler.is_compiling():
        return False
    inside = torch._C._functorch
    return inside.is_functorch_wrapped_tensor(tensor) or inside.is_legacy_batchedtensor(tensor)


def gradients_of(
    definition: Definition, tensors: Sequence[Tensor | None], gradient: Tensor
) -> list[Tensor | None]:
    """The gradient of each tensor that asks for one, by the definition, to be differentiated again.

    Args:
        definition: of the result whose gradient is given.
        tensors: what it is computed from, as they came out of ``ctx.saved_tensors``.
        gradient: of the result.
    """
    with torch.enable_grad():
        # One tensor may have been computed from another: each stands for itself, once.
        own = [x.view_as(x) if _asks(x) else x for x in tensors]
        result = definition(*own)
        wanted = [x for x in own if _asks(x)]
        if not wanted or not result.requires_grad:
            return [None] * len(own)
        found = iter(
            torch.autograd.grad(result, wanted, gradient, create_graph=True, allow_unused=True)
        )
        return [next(found) if _asks(x) else None for x in own]


def _asks(x: Tensor | None) -> TypeGuard[Tensor]:
    return x is not None and x.requires_grad


def defined_by(definition: Definition, result: Tensor, *tensors: Tensor) -> Tensor:
    """``result`` itself, whose second derivatives are those of the definition.

    For kernels of torch that have none. First gradients take the way they would take without.
    """
    if torch.compiler.is_compiling() or not result.requires_grad:
        return result
    return apply(_Defined, definition, result, *tensors)


class _Defined(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, definition: Definition, result: Tensor, *tensors: Tensor) -> Tensor:
        ctx.definition = definition
        ctx.save_for_backward(*tensors)
        return result.detach()  # a view made in here could not be changed in place

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        if not differentiated_again(gradient):
            return None, gradient, *[None] * (len(ctx.needs_input_grad) - 2)
        return None, None, *gradients_of(ctx.definition, ctx.saved_tensors, gradient)
