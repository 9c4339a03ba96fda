"""Sequences of different lengths in one batch, padded or packed."""

import torch
from torch.nn.functional import embedding
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from regard.errors import DtypeError, RangeError, ShapeError
from regard.types import Bool, Float, Int, Tensor


def checked_lengths(lengths: Tensor, x: Tensor) -> Int[Tensor, "*B"]:
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


def length_mask(lengths: Int[Tensor, "*B"], steps: int) -> Bool[Tensor, "*B N"]:
    """Which steps belong to a sequence."""
    return torch.arange(steps, device=lengths.device) < lengths.unsqueeze(-1)


def zero_padding(x: Float[Tensor, "*B N D"], lengths: Int[Tensor, "*B"]) -> Float[Tensor, "*B N D"]:
    """Zeros beyond the lengths, so that nothing there reaches a value or a gradient."""
    return x.where(length_mask(lengths, x.shape[-2]).unsqueeze(-1), 0)


def reverse_sequences(
    x: Float[Tensor, "*B N D"], lengths: Int[Tensor, "*B"] | None
) -> Float[Tensor, "*B N D"]:
    """Every sequence from its own last step to its first; what lies beyond stays where it is."""
    if lengths is None:
        return x.flip(-2)
    steps = torch.arange(x.shape[-2], device=x.device).expand(x.shape[:-1])
    mirrored = lengths.unsqueeze(-1) - 1 - steps
    source = mirrored.where(mirrored >= 0, steps)  # (*B, N)
    rows = x.reshape(-1, x.shape[-1])
    first = torch.arange(lengths.numel(), device=x.device).view(lengths.shape) * x.shape[-2]
    return embedding(source + first.unsqueeze(-1), rows)  # whole rows, unlike gather


def unpack(x: PackedSequence) -> tuple[Float[Tensor, "B N D"], Int[Tensor, " B"]]:
    """The padded batch in the order it had before it was packed, and its lengths."""
    padded, lengths = pad_packed_sequence(x, batch_first=True)
    return padded, lengths.to(padded.device)


def pack_as(x: PackedSequence, outputs: Float[Tensor, "B N H"]) -> PackedSequence:
    """``outputs`` packed just as ``x`` is."""
    _, lengths = pad_packed_sequence(x, batch_first=True)
    rows = x.sorted_indices
    if rows is not None:
        outputs, lengths = outputs.index_select(0, rows), lengths.index_select(0, rows.cpu())
    data = pack_padded_sequence(outputs, lengths, batch_first=True).data
    return PackedSequence(data, x.batch_sizes, x.sorted_indices, x.unsorted_indices)
