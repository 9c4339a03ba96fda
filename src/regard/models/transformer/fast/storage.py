"""Keys and values of every layer, one row for each token, and lists of the rows that count."""

from dataclasses import dataclass, replace

import torch
from torch.nn.functional import pad

from regard.kernels.paged import Pages
from regard.types import Float, Int, Tensor

Layers = tuple[Float[Tensor, "N _"], ...]
"""Keys and values side by side, of every layer."""


@dataclass(eq=False)
class Room:
    """Matrices with room behind what is in them. Rows that are taken never change hands."""

    layers: Layers
    filled: int

    @property
    def free(self) -> int:
        """Rows that are left."""
        return len(self.layers[0]) - self.filled

    def taken(self, count: int) -> int:
        """The first of so many rows, which are nobody else's from now on."""
        first = self.filled
        self.filled += count
        return first

    def widened(self, more: int) -> "Room":
        """The same rows in a new room, with so many free ones."""
        return Room(tuple(_roomy(layer, self.filled, more) for layer in self.layers), self.filled)

    def behind(self, layers: Layers) -> tuple["Room", int]:
        """A room with these rows too, and the first of them; this one, if there is place in it."""
        count = len(layers[0])
        room = self if self.free >= count else self.widened(self.filled + 2 * count)
        first = room.taken(count)
        for own, new in zip(room.layers, layers, strict=True):
            own[first : first + count] = new
        return room, first


@dataclass(frozen=True, eq=False)
class Stored:
    """What rows of a batch look at. Nothing on a list ever changes."""

    room: Room
    pages: Pages

    @staticmethod
    def full(layers: Layers, pages: Pages) -> "Stored":
        """Lists of the rows of these matrices."""
        return Stored(Room(layers, len(layers[0])), pages)

    @property
    def layers(self) -> Layers:
        """The matrices, with what is free in them."""
        return self.room.layers

    def reorder(self, rows: Int[Tensor, " b"]) -> "Stored":
        """For these elements of the batch: nothing stored is moved."""
        lists = self.pages.lists.index_select(0, rows)
        return Stored(self.room, replace(self.pages, lists=lists))

    def live(self) -> "Stored":
        """Only what somebody looks at."""
        asked, lists = self.pages.lists.unique(return_inverse=True)
        pages = Pages(self.pages.slots[asked], self.pages.counts[asked], lists)
        longest = int(pages.counts.max()) if len(asked) else 0
        pages = replace(pages, slots=pages.slots[:, :longest])
        used, slots = pages.slots.masked_fill(~pages.read(), 0).unique(return_inverse=True)
        layers = tuple(layer.index_select(0, used) for layer in self.layers)
        return Stored.full(layers, replace(pages, slots=slots))

    def joined(self, other: "Stored") -> "Stored":
        """For the elements of both batches, those of ``other`` behind ours."""
        ours, theirs = self._tidied(), other._tidied()
        filled = theirs.room.filled
        room, first = ours.room.behind(tuple(layer[:filled] for layer in theirs.layers))
        longest = max(_width(ours), _width(theirs))
        slots = torch.cat([_widened(ours, longest), _widened(theirs, longest) + first])
        counts = torch.cat([ours.pages.counts, theirs.pages.counts])
        lists = torch.cat([ours.pages.lists, theirs.pages.lists + len(ours.pages.counts)])
        return Stored(room, Pages(slots, counts, lists))

    def _tidied(self) -> "Stored":
        """Only what somebody looks at, if that is less than half of the lists."""
        asked = self.pages.lists.unique()
        return self.live() if 2 * len(asked) < len(self.pages.counts) else self


def _roomy(layer: Float[Tensor, "N _"], filled: int, more: int) -> Float[Tensor, "n _"]:
    roomy = layer.new_empty(filled + more, layer.shape[1])
    roomy[:filled] = layer[:filled]
    return roomy


def _width(stored: Stored) -> int:
    return stored.pages.slots.shape[1]


def _widened(stored: Stored, width: int) -> Int[Tensor, "L n"]:
    return pad(stored.pages.slots, (0, width - _width(stored)))
