"""Functions of the distance between two vectors."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from regard.kernels.derivatives import apply, differentiated_again, gradients_of, transformed
from regard.types import Float, Tensor

from ..tensors import broadcast_shapes
from .base import Pairs, Sided, Tile, Vectors

Profile = Callable[[Tensor], Tensor]


@dataclass(frozen=True, eq=False)
class Radial(Sided):
    r"""A profile of the squared distance in units of a width.

    .. math:: e_{qk} = \phi(\lVert q_q - k_k \rVert^2 / w^2)

    Distances are differences first, squares after: no cancellation for near vectors. Squares are
    smooth where a query meets a key, so that all derivatives of a smooth profile are right there.

    Args:
        query: queries (*B, Q, D).
        key: keys (*B, K, D).
        profile: φ, elementwise; :func:`root` gives it the distance itself.
        width: w, a tensor of no axes; may carry a gradient.
    """

    profile: Profile
    width: Tensor

    @property
    def shared(self) -> Vectors:
        """The width."""
        return (self.width,)

    def tile(self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile) -> Pairs:
        """Squared distances of all pairs, then the profile."""
        return self.profile(squared_distance(*rows, *columns, *shared))


def squared_distance(
    query: Float[Tensor, "*#B r D"], key: Float[Tensor, "*#B c D"], width: Float[Tensor, ""]
) -> Pairs:
    """‖q − k‖² / w² of all pairs, in O(Q K) memory; O(Q K D) for second and forward derivatives."""
    if transformed():
        return definition(query, key, width)
    return apply(_Squared, query, key, width)


def definition(
    query: Float[Tensor, "*#B r D"], key: Float[Tensor, "*#B c D"], width: Float[Tensor, ""]
) -> Pairs:
    """The same, differentiable as often as you like: builds a tensor of rows × columns × D."""
    return ((query.unsqueeze(-2) - key.unsqueeze(-3)) / width).square().sum(-1)


def root(squared: Tensor) -> Tensor:
    """The distance from its square; at 0, where it has no derivative, all are taken as 0."""
    nothing = squared == 0
    return squared.masked_fill(nothing, 1).sqrt().masked_fill(nothing, 0)


class _Squared(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, query: Tensor, key: Tensor, width: Tensor) -> Tensor:
        distance = torch.cdist(query, key, compute_mode="donot_use_mm_for_euclid_dist")
        ctx.save_for_backward(query, key, width, distance)
        return (distance / width).square_()

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        query, key, width, distance = ctx.saved_tensors
        if differentiated_again(gradient):
            return tuple(gradients_of(definition, (query, key, width), gradient))
        by_query, by_key, by_width = None, None, None
        slope = gradient * distance.div(width).mul_(2 / width)  # of the distance
        leading = broadcast_shapes(query.shape[:-2], key.shape[:-2])
        q, k = (x.expand(*leading, *x.shape[-2:]).contiguous() for x in (query, key))
        if ctx.needs_input_grad[0]:
            by_query = _pulled(slope, q, k, distance).sum_to_size(query.shape)
        if ctx.needs_input_grad[1]:
            by_key = _pulled(slope.mT, k, q, distance.mT).sum_to_size(key.shape)
        if ctx.needs_input_grad[2]:
            by_width = -(slope * distance).sum() / width
        return by_query, by_key, by_width


def _pulled(slope: Tensor, own: Tensor, other: Tensor, distance: Tensor) -> Tensor:
    """The gradient of ``own``: slopes times unit vectors; 0 for vectors that meet."""
    return torch.ops.aten._cdist_backward(
        slope.contiguous(), own, other, 2.0, distance.contiguous()
    )
