"""The memory of a decoder: keys and values projected once per sequence, attended in every step."""

from dataclasses import replace
from typing import NamedTuple

import torch
from torch.nn.functional import pad

from regard.errors import DtypeError
from regard.functional import masks
from regard.functional.forms import Looks, Tile
from regard.functional.masks import Mask, Padding
from regard.functional.masks.base import batch_first
from regard.functional.scores import Score
from regard.types import Bool, Float, Int, Tensor

KeyMask = Mask | Bool[Tensor, "*B K"] | Int[Tensor, "*B"]
"""Which keys may be looked at: a mask, one boolean per key, or the length of every sequence."""


class Memory(NamedTuple):
    """Keys already projected, with what is pooled for each of them.

    Made once per sequence. What steps can use again is kept in here and nowhere else, so what the
    keys were projected from may be overwritten, but not the memory itself: prepare another.
    """

    key: Float[Tensor, "*B K D"]
    value: Float[Tensor, "*B K E"]
    mask: Mask | None = None
    looks: Looks | None = None
    """What steps keep of the keys; ``None`` keeps nothing."""

    def seen_by(self, score: Score) -> Score:
        """The score as it looks at these keys again and again."""
        return score if self.looks is None else score.again(self.looks)

    def reorder(self, rows: Int[Tensor, " b"]) -> "Memory":
        """The memory of these elements of the batch, as beam search asks for."""
        key, value = self.key.index_select(0, rows), self.value.index_select(0, rows)
        return Memory(key, value, self._mask_of(rows), Looks())

    def joined(self, other: "Memory") -> "Memory":
        """The memory of both batches, the elements of ``other`` behind ours."""
        width = max(self.key.shape[-2], other.key.shape[-2])
        key, value = (
            torch.cat([_filled(one, width), _filled(two, width)])
            for one, two in ((self.key, other.key), (self.value, other.value))
        )
        if _ends(self) and _ends(other):
            ends = torch.cat([self.lengths(), other.lengths()])  # (B + B',)
            return Memory(key, value, masks.padding(ends), Looks())
        allowed = torch.cat(
            [pad(each.allowed(), (0, width - each.key.shape[-2])) for each in (self, other)]
        )
        return Memory(key, value, masks.dense(allowed.unsqueeze(-2)), Looks())

    def allowed(self) -> Bool[Tensor, "*B K"]:
        """Which keys may be looked at, one by one."""
        shape = self.key.shape[:-1]
        if self.mask is None:
            return torch.ones(shape, dtype=torch.bool, device=self.key.device)
        at = Tile(range(1), range(shape[-1]), self.key.device)
        return self.mask.allowed(at, self.key.dim()).expand(*shape[:-1], 1, shape[-1]).squeeze(-2)

    def lengths(self) -> Int[Tensor, "*B"]:
        """Where each sequence ends: one past its last key that may be looked at."""
        *leading, num_keys = self.key.shape[:-1]
        if isinstance(self.mask, Padding):
            own = batch_first(self.mask.lengths, len(leading), own=0)
            return own.to(self.key.device).expand(leading)
        if self.mask is None or not num_keys:
            return torch.full(leading, num_keys, device=self.key.device)
        ends = torch.arange(1, num_keys + 1, device=self.key.device)  # (K,)
        return (self.allowed() * ends).amax(dim=-1)

    def _mask_of(self, rows: Int[Tensor, " b"]) -> Mask | None:
        if self.mask is None:
            return None
        if isinstance(self.mask, Padding) and self.mask.lengths.shape[:1] == self.key.shape[:1]:
            kept = self.mask.lengths.index_select(0, rows.to(self.mask.lengths.device))
            return replace(self.mask, lengths=kept)
        return masks.dense(self.allowed().index_select(0, rows).unsqueeze(-2))


def _ends(memory: Memory) -> bool:
    """Whether every sequence is seen up to an end."""
    return memory.mask is None or isinstance(memory.mask, Padding)


def _filled(x: Float[Tensor, "*B K D"], width: int) -> Float[Tensor, "*B W D"]:
    return pad(x, (0, 0, 0, width - x.shape[-2]))


def key_mask(mask: KeyMask | None) -> Mask | None:
    """The mask behind whatever says which keys may be looked at.

    Raises:
        DtypeError: a tensor that is neither boolean nor of whole numbers.
    """
    if mask is None or isinstance(mask, Mask):
        return mask
    if not isinstance(mask, Tensor) or mask.is_floating_point() or mask.is_complex():
        came = mask.dtype if isinstance(mask, Tensor) else type(mask).__name__
        raise DtypeError(
            "a mask over keys needs to be a value of regard.masks, booleans (*B, K), True = may "
            f"attend, or whole lengths (*B,), got {came}"
        )
    if mask.dtype == torch.bool:
        return masks.dense(mask.unsqueeze(-2).clone())  # the caller may use his again
    return masks.padding(mask)
