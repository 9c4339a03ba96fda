"""Masks combined: and, or, not."""

from dataclasses import dataclass
from functools import reduce

import torch

from regard.errors import DtypeError
from regard.types import Bool, Int, Tensor

from ..forms import Tile
from .base import FULL, Mask, Reach, Spans
from .dense import Dense


def as_mask(mask: Mask | Tensor) -> Mask:
    """A mask as it is; a boolean tensor as a mask.

    Raises:
        DtypeError: a tensor that is not boolean. True = may attend; an additive mask of 0 and −∞
            becomes boolean by ``mask == 0``.
    """
    if isinstance(mask, Mask):
        return mask
    if isinstance(mask, Tensor):
        return Dense(mask)
    raise DtypeError(
        f"mask needs a boolean tensor or a value of regard.masks, got {type(mask).__name__}"
    )


@dataclass(frozen=True, eq=False)
class And(Mask):
    """Pairs that every part allows."""

    parts: tuple[Mask, ...]

    name = "and"

    def __post_init__(self) -> None:
        flat = tuple(condition for part in self.parts for condition in part.conditions)
        object.__setattr__(self, "parts", flat)

    @property
    def conditions(self) -> tuple[Mask, ...]:
        """The parts."""
        return self.parts

    def reach(self) -> Reach | None:
        """The narrowest of the parts, if all tell."""
        told = [reach for part in self.parts if (reach := part.reach()) is not None]
        if len(told) < len(self.parts):
            return None
        lefts = [left for left, _ in told if left is not None]
        rights = [right for _, right in told if right is not None]
        return Reach(min(lefts, default=None), min(rights, default=None))

    def allowed(self, at: Tile, axes: int) -> Bool[Tensor, "*B r c"]:
        """All of them."""
        return reduce(torch.logical_and, (part.allowed(at, axes) for part in self.parts))

    def reached(self, at: Tile, axes: int) -> Bool[Tensor, "*B 1 c"] | None:
        """Those that every part that tells allows."""
        told = [found for part in self.parts if (found := part.reached(at, axes)) is not None]
        return reduce(torch.logical_and, told) if told else None

    def tiles(self, rows: Spans, columns: Spans) -> Int[Tensor, "R C"]:
        """Empty where any part is, full where all are."""
        return reduce(torch.minimum, (part.tiles(rows, columns) for part in self.parts))

    def check(self, leading: tuple[int, ...], num_queries: int, num_keys: int) -> None:
        """Every part must fit."""
        for part in self.parts:
            part.check(leading, num_queries, num_keys)

    def shifted(self, queries: int, keys: int = 0) -> Mask:
        """Every part shifted."""
        return And(tuple(part.shifted(queries, keys) for part in self.parts))

    def tensors(self) -> list[Tensor]:
        """Those of every part."""
        return [tensor for part in self.parts for tensor in part.tensors()]

    @property
    def looks_back(self) -> bool:
        """If any part does."""
        return any(part.looks_back for part in self.parts)

    @property
    def keeps_first(self) -> bool:
        """If all parts do."""
        return all(part.keeps_first for part in self.parts)

    @property
    def keeps_self(self) -> bool:
        """If all parts do."""
        return all(part.keeps_self for part in self.parts)

    def __repr__(self) -> str:
        return "(" + " & ".join(map(repr, self.parts)) + ")"


@dataclass(frozen=True, eq=False)
class Or(Mask):
    """Pairs that some part allows."""

    parts: tuple[Mask, ...]

    name = "or"

    def allowed(self, at: Tile, axes: int) -> Bool[Tensor, "*B r c"]:
        """Any of them."""
        return reduce(torch.logical_or, (part.allowed(at, axes) for part in self.parts))

    def tiles(self, rows: Spans, columns: Spans) -> Int[Tensor, "R C"]:
        """Full where any part is, empty where all are."""
        return reduce(torch.maximum, (part.tiles(rows, columns) for part in self.parts))

    def check(self, leading: tuple[int, ...], num_queries: int, num_keys: int) -> None:
        """Every part must fit."""
        for part in self.parts:
            part.check(leading, num_queries, num_keys)

    def shifted(self, queries: int, keys: int = 0) -> Mask:
        """Every part shifted."""
        return Or(tuple(part.shifted(queries, keys) for part in self.parts))

    def tensors(self) -> list[Tensor]:
        """Those of every part."""
        return [tensor for part in self.parts for tensor in part.tensors()]

    @property
    def looks_back(self) -> bool:
        """If all parts do."""
        return all(part.looks_back for part in self.parts)

    @property
    def keeps_first(self) -> bool:
        """If any part does."""
        return any(part.keeps_first for part in self.parts)

    @property
    def keeps_self(self) -> bool:
        """If any part does."""
        return any(part.keeps_self for part in self.parts)

    def __repr__(self) -> str:
        return "(" + " | ".join(map(repr, self.parts)) + ")"


@dataclass(frozen=True, eq=False)
class Not(Mask):
    """Pairs that the part forbids."""

    part: Mask

    name = "not"

    def allowed(self, at: Tile, axes: int) -> Bool[Tensor, "*B r c"]:
        """The others."""
        return ~self.part.allowed(at, axes)

    def tiles(self, rows: Spans, columns: Spans) -> Int[Tensor, "R C"]:
        """Empty and full change places."""
        return FULL - self.part.tiles(rows, columns)

    def check(self, leading: tuple[int, ...], num_queries: int, num_keys: int) -> None:
        """The part must fit."""
        self.part.check(leading, num_queries, num_keys)

    def shifted(self, queries: int, keys: int = 0) -> Mask:
        """The part shifted."""
        return Not(self.part.shifted(queries, keys))

    def tensors(self) -> list[Tensor]:
        """Those of the part."""
        return self.part.tensors()

    def __repr__(self) -> str:
        return f"~{self.part!r}"
