"""Torch's packed sequences, in and out."""

from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from regard.types import Float, Int, Tensor


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
