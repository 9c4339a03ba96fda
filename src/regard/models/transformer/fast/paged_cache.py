"""The KV cache of the target: pages that hypotheses share, however they branch."""

from dataclasses import dataclass

import torch
from torch.nn.functional import pad

from regard.kernels.paged import Pages
from regard.types import Int, Tensor

from .storage import Room, Stored

FIRST = 32
"""Steps there is room for at first."""


@dataclass(frozen=True, eq=False)
class PagedCache:
    """One list for each hypothesis: the rows of its tokens, the last one first.

    Nothing on a list ever changes: what is written stands behind all that others know of.
    """

    room: Room
    slots: Int[Tensor, "R n"]
    lengths: Int[Tensor, " R"]
    """Tokens that each hypothesis has written."""

    @staticmethod
    def empty(rows: int, widths: list[int], like: Tensor) -> "PagedCache":
        """Hypotheses without a token.

        Args:
            rows: how many.
            widths: of key and value side by side, layer by layer.
            like: for dtype and device.
        """
        room = Room(tuple(like.new_empty(0, width) for width in widths), filled=0)
        lengths = torch.zeros(rows, dtype=torch.long, device=like.device)
        return PagedCache(room, lengths.new_empty(rows, 0), lengths)

    @property
    def longest(self) -> int:
        """Tokens of the longest hypothesis, or more."""
        return self.slots.shape[1]

    def pages(self) -> Pages:
        """The lists, for attention: every row looks at its own."""
        return Pages(self.slots, self.lengths, torch.arange(len(self.lengths), device=self.device))

    @property
    def device(self) -> torch.device:
        """Where everything is."""
        return self.lengths.device

    def grown(self) -> tuple["PagedCache", int]:
        """With a token more for each hypothesis, and the first of the rows for them."""
        count, room, slots = len(self.lengths), self.room, self.slots
        if room.free < count:
            room, slots = self._moved()
        first = room.taken(count)
        own = torch.arange(first, first + count, device=self.device).unsqueeze(-1)
        return PagedCache(room, torch.cat([own, slots], dim=-1), self.lengths + 1), first

    def reorder(self, rows: Int[Tensor, " b"]) -> "PagedCache":
        """These hypotheses: what they wrote is not moved."""
        lengths = self.lengths.index_select(0, rows)
        longest = int(lengths.max()) if len(lengths) else 0
        return PagedCache(self.room, self.slots[:, :longest].index_select(0, rows), lengths)

    def joined(self, other: "PagedCache") -> "PagedCache":
        """Both batches of hypotheses, those of ``other`` behind ours."""
        if not other.longest:  # they have just begun: there is nothing to move
            slots = pad(self.slots, (0, 0, 0, len(other.lengths)))
            return PagedCache(self.room, slots, torch.cat([self.lengths, other.lengths]))
        return _cache(self._stored().live().joined(other._stored().live()))

    def _moved(self) -> tuple[Room, Int[Tensor, "R n"]]:
        """What is on the lists, in a new room with place for more, and where it is there."""
        moved = _cache(self._stored().live())
        return moved.room, moved.slots

    def _stored(self) -> Stored:
        return Stored(self.room, self.pages())


def _cache(stored: Stored) -> PagedCache:
    """The lists of ``stored`` in a room that has place for as much again, and for some steps."""
    pages = stored.pages
    room = stored.room.widened(stored.room.filled + FIRST * len(pages.lists))
    return PagedCache(room, pages.slots[pages.lists], pages.counts[pages.lists])
