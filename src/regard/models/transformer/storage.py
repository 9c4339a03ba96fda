"""Keys and values of every layer, one row for each token, and lists of the rows that count."""

from dataclasses import dataclass, replace

import torch
from torch.nn.functional import pad

from regard.functional.kernels.paged import Pages
from regard.types import Float, Int, Tensor

Layers = tuple[Float[Tensor, "N _"], ...]
"""Keys and values side by side, of every layer."""


@dataclass(frozen=True, eq=False)
class Stored:
    """What rows of a batch look at. Nothing on a list ever changes."""

    layers: Layers
    pages: Pages

    def reorder(self, rows: Int[Tensor, " b"]) -> "Stored":
        """For these elements of the batch: nothing stored is moved."""
        lists = self.pages.lists.index_select(0, rows)
        return Stored(self.layers, replace(self.pages, lists=lists))

    def live(self) -> "Stored":
        """Only what somebody looks at."""
        asked, lists = self.pages.lists.unique(return_inverse=True)
        pages = Pages(self.pages.slots[asked], self.pages.counts[asked], lists)
        longest = int(pages.counts.max()) if len(asked) else 0
        pages = replace(pages, slots=pages.slots[:, :longest])
        used, slots = pages.slots.masked_fill(~pages.read(), 0).unique(return_inverse=True)
        layers = tuple(layer.index_select(0, used) for layer in self.layers)
        return Stored(layers, replace(pages, slots=slots))

    def joined(self, other: "Stored") -> "Stored":
        """For the elements of both batches, those of ``other`` behind ours."""
        ours, theirs = self.live(), other.live()
        shift, longest = len(ours.layers[0]), max(_width(ours), _width(theirs))
        slots = torch.cat([_widened(ours, longest), _widened(theirs, longest) + shift])
        counts = torch.cat([ours.pages.counts, theirs.pages.counts])
        lists = torch.cat([ours.pages.lists, theirs.pages.lists + len(ours.pages.counts)])
        layers = zip(ours.layers, theirs.layers, strict=True)
        return Stored(tuple(torch.cat(pair) for pair in layers), Pages(slots, counts, lists))


def _width(stored: Stored) -> int:
    return stored.pages.slots.shape[1]


def _widened(stored: Stored, width: int) -> Int[Tensor, "L n"]:
    return pad(stored.pages.slots, (0, width - _width(stored)))
