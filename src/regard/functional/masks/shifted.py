"""Masks of a part of the map: queries and keys that do not begin at position 0."""

from dataclasses import dataclass

import torch

from regard.types import Bool, Int, Tensor

from ..forms import Tile
from .base import FULL, And, Mask, Spans


@dataclass(frozen=True, eq=False)
class Shifted(Mask):
    """A mask seen from query ``queries`` and key ``keys`` on. Made by :meth:`Mask.shifted`.

    The mask may go on behind the last query and key: a step with a cache sees its upper left part.
    """

    part: Mask
    queries: int
    keys: int

    name = "shifted"

    def allowed(self, at: Tile, axes: int) -> Bool[Tensor, "*B r c"]:
        """What the mask says of these pairs where they stand."""
        return self.part.allowed(at.moved(self.queries, self.keys), axes)

    def tiles(self, rows: Spans, columns: Spans) -> Int[Tensor, "R C"]:
        """What the mask says of these tiles where they lie."""
        return self.part.tiles(_moved(rows, self.queries), _moved(columns, self.keys))

    def check(self, leading: tuple[int, ...], num_queries: int, num_keys: int) -> None:
        """The mask must reach to the last position."""
        self.part.check_reach(leading, self.queries + num_queries, self.keys + num_keys)

    def shifted(self, queries: int, keys: int = 0) -> Mask:
        """Shifts add up."""
        return self.part.shifted(self.queries + queries, self.keys + keys)

    def tensors(self) -> list[Tensor]:
        """Those of the mask."""
        return self.part.tensors()

    @property
    def keeps_first(self) -> bool:
        """If the mask does, and its first key is there."""
        return self.keys == 0 and self.part.keeps_first

    def __repr__(self) -> str:
        return f"{self.part!r}.shifted({self.queries}, {self.keys})"


def needed(
    mask: Mask | None, leading: tuple[int, ...], num_queries: int, num_keys: int
) -> Mask | None:
    """The mask without the parts that are certain to allow all these pairs; ``None`` if all are.

    The last query of a causal sequence sees every key: a step with a cache then runs unmasked.

    Raises:
        ShapeError: the mask does not fit scores (*leading, Q, K).
    """
    if mask is None or torch.compiler.is_compiling():
        return mask
    mask.check(leading, num_queries, num_keys)
    rows, columns = Spans.of(num_queries, max(1, num_queries)), Spans.of(num_keys, max(1, num_keys))
    kept = tuple(
        part for part in mask.conditions if not bool((part.tiles(rows, columns) == FULL).all())
    )
    return And(kept) if len(kept) > 1 else kept[0] if kept else None


def _moved(spans: Spans, by: int) -> Spans:
    return Spans(spans.starts + by, spans.stops + by)
