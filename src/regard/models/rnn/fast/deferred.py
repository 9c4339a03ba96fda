"""Weight gradients of a loop over steps, computed once for all steps instead of once per step.

Autograd computes the gradient of a matrix anew in every step and adds it up: for a loop of T steps
the matrix is written T times. Here every step of the backward pass only notes what the matrix met,
and one product over all steps follows when the last of them is done. Values are the same, and
gradients up to rounding. Where gradients are differentiated again, every step adds its own.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from regard.kernels.derivatives import differentiated_again, transformed


class _Met(NamedTuple):
    """What a matrix was multiplied by, and the gradient of the product."""

    factor: Tensor
    gradient: Tensor


class _Notes:
    """What was noted in one backward pass; what a pass left that ended elsewhere is dropped."""

    def __init__(self) -> None:
        self._pass, self._met = -1, list[_Met]()

    def add(self, factor: Tensor, gradient: Tensor) -> None:
        current = torch._C._current_graph_task_id()
        if current != self._pass:
            self._pass, self._met = current, []
        self._met.append(_Met(factor, gradient))

    def taken(self) -> tuple[list[Tensor], list[Tensor]] | None:
        """All factors and all gradients of this pass, which are forgotten."""
        met, self._met = self._met, []
        if not met or self._pass != torch._C._current_graph_task_id():
            return None
        return [each.factor for each in met], [each.gradient for each in met]


Total = Callable[[list[Tensor], list[Tensor]], Tensor]


class _Source(torch.autograd.Function):
    """The matrix itself; its backward comes after that of all steps."""

    @staticmethod
    def forward(ctx: Any, matrix: Tensor, notes: _Notes, total: Total) -> Tensor:
        ctx.notes, ctx.total = notes, total
        ctx.set_materialize_grads(False)
        return matrix.view_as(matrix)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor | None) -> tuple[Tensor | None, None, None]:
        met = ctx.notes.taken()
        found = None if met is None else ctx.total(*met)
        if gradient is not None:  # the matrix was used elsewhere too
            found = gradient if found is None else found + gradient
        return found, None, None


class _Added(torch.autograd.Function):
    """start + x Wᵀ."""

    @staticmethod
    def forward(ctx: Any, start: Tensor, x: Tensor, matrix: Tensor, notes: _Notes) -> Tensor:
        ctx.save_for_backward(x, matrix)
        ctx.notes, ctx.shared = notes, start.dim() == 1
        return torch.addmm(start, x, matrix.T)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        x, matrix = ctx.saved_tensors
        of_start, of_matrix = gradient.sum(0) if ctx.shared else gradient, None
        if differentiated_again(gradient):
            of_matrix = gradient.T @ x
        else:
            ctx.notes.add(x, gradient)
        return of_start, gradient @ matrix, of_matrix, None


class _Pooled(torch.autograd.Function):
    """Weights (B, 1, S) times values (B, S, E)."""

    @staticmethod
    def forward(ctx: Any, weights: Tensor, values: Tensor, notes: _Notes) -> Tensor:
        ctx.save_for_backward(weights, values)
        ctx.notes = notes
        return weights @ values

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        weights, values = ctx.saved_tensors
        if differentiated_again(gradient):
            return gradient @ values.mT, weights.mT @ gradient, None
        ctx.notes.add(weights, gradient)
        return gradient @ values.mT, None, None


class LoopMatrix:
    """W, by which something is multiplied in every step.

    Args:
        weight: (out, in).
    """

    def __init__(self, weight: Tensor) -> None:
        self._notes = _Notes() if _worth_it(weight) else None
        self._weight = weight
        if self._notes is not None:
            self._weight = _Source.apply(weight, self._notes, _outer)  # type: ignore[no-untyped-call]

    def added(self, start: Tensor, x: Tensor) -> Tensor:
        """``start`` + W x; ``start`` is (B, out) or (out,)."""
        if self._notes is None:
            return torch.addmm(start, x, self._weight.T)
        return _Added.apply(start, x, self._weight, self._notes)  # type: ignore[no-untyped-call]


class LoopValues:
    """Values that are pooled with other weights in every step.

    Args:
        values: (B, S, E).
    """

    def __init__(self, values: Tensor) -> None:
        self._notes = _Notes() if _worth_it(values) else None
        self._values = values
        if self._notes is not None:
            self._values = _Source.apply(values, self._notes, _spread)  # type: ignore[no-untyped-call]

    def pooled(self, weights: Tensor) -> Tensor:
        """The context (B, 1, E) of weights (B, 1, S)."""
        if self._notes is None:
            return weights @ self._values
        return _Pooled.apply(weights, self._values, self._notes)  # type: ignore[no-untyped-call]


def _worth_it(matrix: Tensor) -> bool:
    """Where there is a gradient; others see through torch's operations only."""
    seen_through = torch.is_autocast_enabled(matrix.device.type) or torch.compiler.is_compiling()
    plain = not seen_through and not transformed()
    return plain and torch.is_grad_enabled() and matrix.requires_grad


def _outer(factors: list[Tensor], gradients: list[Tensor]) -> Tensor:
    return torch.cat(gradients).T @ torch.cat(factors)


def _spread(weights: list[Tensor], gradients: list[Tensor]) -> Tensor:
    return torch.cat(weights, dim=1).mT @ torch.cat(gradients, dim=1)
