"""Sequences of different lengths in one batch."""

import torch

from regard.errors import DtypeError, RangeError, ShapeError
from regard.types import Bool, Float, Int, Tensor


def settled(lengths: Tensor, x: Tensor) -> Int[Tensor, "*B"]:
    """``lengths`` beside ``x``: whole numbers from 0 to N, one for each sequence, or an error."""
    if lengths.is_floating_point() or lengths.is_complex() or lengths.dtype == torch.bool:
        raise DtypeError(f"lengths need to be whole numbers, got {lengths.dtype}")
    if lengths.shape != x.shape[:-2]:
        raise ShapeError(
            f"lengths need one number per sequence, {tuple(x.shape[:-2])}, for the input "
            f"{tuple(x.shape)}, got {tuple(lengths.shape)}"
        )
    lengths = lengths.to(x.device, torch.long)
    if torch.compiler.is_compiling() or not lengths.numel():
        return lengths
    low, high = int(lengths.min()), int(lengths.max())
    if low < 0 or high > x.shape[-2]:
        raise RangeError(
            f"lengths need to be from 0 to {x.shape[-2]}, the number of steps, "
            f"got {low if low < 0 else high}"
        )
    return lengths


def within(lengths: Int[Tensor, "*B"], steps: int) -> Bool[Tensor, "*B N"]:
    """Which steps belong to a sequence."""
    return torch.arange(steps, device=lengths.device) < lengths.unsqueeze(-1)


def blanked(x: Float[Tensor, "*B N D"], lengths: Int[Tensor, "*B"]) -> Float[Tensor, "*B N D"]:
    """Zeros beyond the lengths, so that nothing there reaches a value or a gradient."""
    return x.where(within(lengths, x.shape[-2]).unsqueeze(-1), 0)


def backwards(
    x: Float[Tensor, "*B N D"], lengths: Int[Tensor, "*B"] | None
) -> Float[Tensor, "*B N D"]:
    """Every sequence from its own last step to its first; what lies beyond stays where it is."""
    if lengths is None:
        return x.flip(-2)
    steps = torch.arange(x.shape[-2], device=x.device).expand(x.shape[:-1])
    mirrored = lengths.unsqueeze(-1) - 1 - steps
    source = mirrored.where(mirrored >= 0, steps)
    return x.gather(-2, source.unsqueeze(-1).expand(x.shape))
