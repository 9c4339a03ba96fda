"""What every mask is: a recipe that says which pairs may attend, and which tiles need no look."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import torch

from regard.errors import DtypeError, ShapeError
from regard.registry import Registry
from regard.types import Bool, Int, Tensor

from ..forms import Tile
from ..value import Value

if TYPE_CHECKING:
    from .padding import Padding

EMPTY, PARTIAL, FULL = 0, 1, 2
"""What a tile can be. AND is the minimum, OR the maximum, NOT is 2 − x."""


class Spans(NamedTuple):
    """Consecutive ranges of positions: range i is ``starts[i] … stops[i] − 1``."""

    starts: Int[Tensor, " n"]
    stops: Int[Tensor, " n"]

    @classmethod
    def of(cls, length: int, size: int) -> "Spans":
        """``length`` positions cut into ranges of ``size``, the last maybe shorter."""
        starts = torch.arange(0, length, size)
        return cls(starts, (starts + size).clamp(max=length))


class Reach(NamedTuple):
    """Distances within which a query sees a key; ``None`` has no end."""

    left: int | None
    right: int | None


class Mask(Value):
    """Which keys a query may attend to. True = may attend.

    A mask is a recipe, not a matrix: it gives the pairs of any tile when asked, and tells before
    which tiles are empty or full. ``&``, ``|`` and ``~`` combine masks. What it is made from is
    copied and may change afterwards; only a boolean tensor of pairs, which may be large, is not.

    :attr:`conditions`, :attr:`is_causal`, :attr:`is_stored`, :meth:`key_lengths` and :meth:`reach`
    tell the engine which fused kernel computes it; a mask that tells nothing runs in row blocks.
    """

    name: ClassVar[str]

    @abstractmethod
    def allowed(self, at: Tile, axes: int) -> Bool[Tensor, "*B r c"]:
        """The pairs of a tile that may attend.

        Args:
            at: where the tile lies.
            axes: how many axes the scores have; tensors that belong to the batch are aligned
                with the first of them.
        """

    @abstractmethod
    def tiles(self, rows: Spans, columns: Spans) -> Int[Tensor, "R C"]:
        """Per tile ``EMPTY``, ``PARTIAL`` or ``FULL``.

        ``EMPTY`` and ``FULL`` are certain, for every element of the batch; ``PARTIAL`` is not.
        """

    def check(self, leading: tuple[int, ...], num_queries: int, num_keys: int) -> None:
        """Raise if the mask does not fit scores of shape (*leading, Q, K)."""
        return

    def check_reach(self, leading: tuple[int, ...], num_queries: int, num_keys: int) -> None:
        """Raise if the mask ends before so many positions; one that goes on behind them fits."""
        self.check(leading, num_queries, num_keys)

    def shifted(self, queries: int, keys: int = 0) -> "Mask":
        """The mask of a map whose first query stands at ``queries`` and first key at ``keys``.

        What a step with a cache needs: ``mask.shifted(p)`` holds for the queries p, p + 1, …
        """
        from .shifted import Shifted

        return Shifted(self, queries, keys)

    def tensors(self) -> list[Tensor]:
        """What must be where the queries are."""
        return []

    def reached(self, at: Tile, axes: int) -> Bool[Tensor, "*B 1 c"] | None:
        """The keys of a tile that some query may attend to, whichever; ``None``: maybe all.

        Only those that cost no look at every pair need to be told.
        """
        return None

    @property
    def conditions(self) -> "tuple[Mask, ...]":
        """The masks that must all allow a pair: itself, unless it is a conjunction."""
        return (self,)

    @property
    def is_causal(self) -> bool:
        r"""Whether it is :math:`k \le q` and nothing else."""
        return False

    @property
    def is_stored(self) -> bool:
        """Whether all pairs are at hand as a tensor, so that asking for the whole map is free."""
        return False

    def key_lengths(self) -> "Padding | None":
        """The mask as lengths, where it allows just the first keys of each sequence.

        Asked in every call: best made once, with the mask.
        """
        return None

    def reach(self) -> Reach | None:
        """How far left and right of its position a query sees, where nothing else counts."""
        return None

    @property
    def looks_back(self) -> bool:
        """Whether it is certain that no query sees a key behind its own position."""
        return False

    @property
    def keeps_first(self) -> bool:
        """Whether it is certain that every query may attend to the first key."""
        return False

    @property
    def keeps_self(self) -> bool:
        """Whether it is certain that every query may attend to its own position."""
        return False

    def covers(self, num_queries: int, num_keys: int) -> bool:
        """Whether it is certain that every query has a key."""
        return num_keys > 0 and (self.keeps_first or (self.keeps_self and num_queries <= num_keys))

    def __and__(self, other: "Mask | Tensor") -> "Mask":
        return And((self, as_mask(other)))

    def __or__(self, other: "Mask | Tensor") -> "Mask":
        return Or((self, as_mask(other)))

    __rand__, __ror__ = __and__, __or__

    def __invert__(self) -> "Mask":
        return Not(self)


@dataclass(frozen=True, eq=False)
class Combined(Mask):
    """Several masks, joined pair by pair and tile by tile."""

    parts: tuple[Mask, ...]

    sign: ClassVar[str]
    join: ClassVar[Callable[..., Tensor]]
    join_tiles: ClassVar[Callable[..., Tensor]]
    certain: ClassVar[Callable[..., bool]]
    """How many parts must allow a pair for the whole to allow it: all or any."""
    barred: ClassVar[Callable[..., bool]]
    """How many must bar a pair for the whole to bar it: the other one."""

    def allowed(self, at: Tile, axes: int) -> Bool[Tensor, "*B r c"]:
        """All of them, or any."""
        return reduce(self.join, (part.allowed(at, axes) for part in self.parts))

    def tiles(self, rows: Spans, columns: Spans) -> Int[Tensor, "R C"]:
        """The least of all parts, or the most."""
        return reduce(self.join_tiles, (part.tiles(rows, columns) for part in self.parts))

    def check(self, leading: tuple[int, ...], num_queries: int, num_keys: int) -> None:
        """Every part must fit."""
        for part in self.parts:
            part.check(leading, num_queries, num_keys)

    def shifted(self, queries: int, keys: int = 0) -> Mask:
        """Every part shifted."""
        return type(self)(tuple(part.shifted(queries, keys) for part in self.parts))

    def tensors(self) -> list[Tensor]:
        """Those of every part."""
        return [tensor for part in self.parts for tensor in part.tensors()]

    @property
    def looks_back(self) -> bool:
        """If enough parts bar what is ahead."""
        return self.barred(part.looks_back for part in self.parts)

    @property
    def keeps_first(self) -> bool:
        """If enough parts do."""
        return self.certain(part.keeps_first for part in self.parts)

    @property
    def keeps_self(self) -> bool:
        """If enough parts do."""
        return self.certain(part.keeps_self for part in self.parts)

    def __repr__(self) -> str:
        return "(" + f" {self.sign} ".join(map(repr, self.parts)) + ")"


@dataclass(frozen=True, eq=False, repr=False)
class And(Combined):
    """Pairs that every part allows: empty tiles where any part is, full ones where all are."""

    name, sign = "and", "&"
    join, join_tiles, certain, barred = torch.logical_and, torch.minimum, all, any

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

    def reached(self, at: Tile, axes: int) -> Bool[Tensor, "*B 1 c"] | None:
        """Those that every part that tells allows."""
        told = [found for part in self.parts if (found := part.reached(at, axes)) is not None]
        return reduce(torch.logical_and, told) if told else None


@dataclass(frozen=True, eq=False, repr=False)
class Or(Combined):
    """Pairs that some part allows: full tiles where any part is, empty ones where all are."""

    name, sign = "or", "|"
    join, join_tiles, certain, barred = torch.logical_or, torch.maximum, any, all


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


def as_mask(mask: Mask | Tensor) -> Mask:
    """A mask as it is; a boolean tensor as a mask.

    Raises:
        DtypeError: a tensor that is not boolean. True = may attend; an additive mask of 0 and −∞
            becomes boolean by ``mask == 0``.
    """
    if isinstance(mask, Mask):
        return mask
    if isinstance(mask, Tensor):
        from .dense import Dense

        return Dense(mask)
    raise DtypeError(
        f"mask needs a boolean tensor or a value of regard.masks, got {type(mask).__name__}"
    )


CALLS = (
    *("blocks(size)", "dense(tensor)", "document(ids)", "global_tokens(positions)"),
    *("padding(lengths)", "prefix(n)", "strided(stride)", "window(left, right)"),
)
"""Masks that a name alone does not make."""

named: Registry[Mask] = Registry(
    "mask", {call.partition("(")[0]: f"masks.{call}" for call in CALLS}
)


def resolve(mask: Mask | Tensor | str | None) -> Mask | None:
    """A mask from whatever a user may pass: a value, a boolean tensor, a name, or nothing.

    Raises:
        ChoiceError: no such name, or one that cannot do without a parameter.
        DtypeError: something that is no mask.
    """
    if mask is None:
        return None
    return named[mask] if isinstance(mask, str) else as_mask(mask)


def distances(rows: Spans, columns: Spans) -> tuple[Int[Tensor, "R C"], Int[Tensor, "R C"]]:
    """The smallest and the largest distance, key minus query, in each tile."""
    nearest = columns.starts - (rows.stops - 1).unsqueeze(-1)
    return nearest, (columns.stops - 1) - rows.starts.unsqueeze(-1)


def batch_first(values: Tensor, axes: int, own: int) -> Tensor:
    """Insert axes so that ``values`` (*first, *own) lines up with the first axes of the scores.

    ``own`` counts its trailing axes that are positions; the result has ``axes`` axes in all.
    """
    first = values.dim() - own
    return values.reshape(
        *values.shape[:first], *[1] * (axes - values.dim()), *values.shape[first:]
    )


def check_batch(owner: str, what: str, shape: tuple[int, ...], leading: tuple[int, ...]) -> None:
    """Raise unless ``shape`` fits the first of the ``leading`` axes, entry by entry or by 1."""
    pairs = zip(shape, leading, strict=False)
    if len(shape) > len(leading) or not all(own in (1, size) for own, size in pairs):
        raise ShapeError(
            f"{owner} needs {what} that fit the first axes of the batch {tuple(leading)}, "
            f"got {shape}"
        )
