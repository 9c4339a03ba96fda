"""Removing padding rows before position-wise layers, and columns that no sequence reaches."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch.nn.functional import pad

from regard.kernels.derivatives import transformed
from regard.types import Float, Int, Tensor

from ..seq2seq import Decoded

WORTH_PACKING = 1 / 32
"""Share of padding from which on leaving it out saves more than moving the rest costs."""


class Everything:
    """A batch with nothing worth leaving out: both layouts are the same."""

    def packed(self, x: Float[Tensor, "B N M"]) -> Float[Tensor, "B N M"]:
        """``x`` itself."""
        return x

    def padded(self, x: Float[Tensor, "B N M"]) -> Float[Tensor, "B N M"]:
        """``x`` itself."""
        return x


@dataclass(frozen=True, eq=False)
class Tokens:
    """The tokens of a batch, one below the other.

    Args:
        index: where they stand, counted through the padded batch row by row.
        batch: B.
        width: N, positions of the padded batch.
    """

    index: Int[Tensor, " R"]
    batch: int
    width: int

    def packed(self, x: Float[Tensor, "B N M"]) -> Float[Tensor, "R M"]:
        """The tokens of ``x``."""
        flat = x.flatten(0, 1)
        if transformed():
            return flat.index_select(0, self.index)
        return _Packed.apply(flat, self.index)  # type: ignore[no-untyped-call]

    def padded(self, x: Float[Tensor, "R M"]) -> Float[Tensor, "B N M"]:
        """The tokens where they stood, zeros around them."""
        size = self.batch * self.width
        if transformed():
            flat = x.new_zeros(size, x.shape[-1]).index_copy(0, self.index, x)
        else:
            flat = _Padded.apply(x, self.index, size)  # type: ignore[no-untyped-call]
        return flat.unflatten(0, (self.batch, self.width))


Rows = Everything | Tokens
"""Two layouts of one batch: ``packed``, as far as padding is left out, and ``padded``."""


class _Packed(torch.autograd.Function):
    """Rows picked, each at most once: the gradient is placed, where torch would add it up."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, index: Tensor) -> Tensor:
        ctx.save_for_backward(index)
        ctx.size = len(x)
        return x.index_select(0, index)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (index,) = ctx.saved_tensors
        return _Padded.apply(gradient, index, ctx.size), None  # type: ignore[no-untyped-call]


class _Padded(torch.autograd.Function):
    """Rows placed among zeros."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, index: Tensor, size: int) -> Tensor:
        ctx.save_for_backward(index)
        return x.new_zeros(size, x.shape[-1]).index_copy_(0, index, x)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        (index,) = ctx.saved_tensors
        return _Packed.apply(gradient, index), None, None  # type: ignore[no-untyped-call]


def rows(lengths: Int[Tensor, " B"], width: int) -> Rows:
    """The layout of a batch of these lengths.

    Args:
        lengths: tokens of each sequence.
        width: positions of the padded batch.
    """
    batch = len(lengths)
    padding = 1 - int(lengths.sum()) / max(1, batch * width)
    if padding < WORTH_PACKING:
        return Everything()
    return tokens(lengths, width)


def tokens(lengths: Int[Tensor, " B"], width: int) -> Tokens:
    """The layout that leaves out all padding, however little there is."""
    places = torch.arange(width, device=lengths.device) < lengths.unsqueeze(-1)
    return Tokens(places.flatten().nonzero().squeeze(-1), len(lengths), width)


class Trimmed(NamedTuple):
    """Tokens without columns that no sequence reaches."""

    tokens: Int[Tensor, "B N"]
    lengths: Int[Tensor, " B"]
    cut: int
    """How many columns were cut."""

    def rows(self) -> Rows:
        """The layout."""
        return rows(self.lengths, self.tokens.shape[1])

    def filled(self, x: Float[Tensor, "B N M"]) -> Float[Tensor, "B W M"]:
        """``x`` with zeros at the positions that were cut."""
        return pad(x, (0, 0, 0, self.cut)) if self.cut else x

    def filled_decoded(self, found: Decoded, source: "Trimmed") -> Decoded:
        """What was found for these tokens as a target, filled up on both sides."""
        weights = found.weights
        if weights is not None:
            weights = source.filled(self.filled(weights).mT).mT  # (B, W, S)
        return Decoded(self.filled(found.features), weights)


def trimmed(tokens: Int[Tensor, "B N"], lengths: Int[Tensor, " B"]) -> Trimmed:
    """The columns up to the end of the longest sequence, and at least one."""
    width = tokens.shape[1]
    longest = min(width, max(1, int(lengths.max()))) if len(lengths) else width
    return Trimmed(tokens[:, :longest], lengths, width - longest)


def lengths_of(tokens: Int[Tensor, "B N"], pad: int) -> Int[Tensor, " B"]:
    """How long each sequence is without the padding behind it; at least 1, if there are columns.

    A token that is ``pad`` counts if another follows, and as the first: some begin sentences so.
    """
    ends = torch.arange(1, tokens.shape[1] + 1, device=tokens.device)
    return (tokens.ne(pad) * ends).amax(dim=1).clamp(min=1)
