"""Masks by what is known of each sequence of a batch: its length, or its documents."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch

from regard.errors import DtypeError, RangeError, ShapeError
from regard.types import Bool, Float, Int, Tensor

from ..forms import Tile
from .base import Mask, Spans, batch_first, check_batch


@dataclass(frozen=True, eq=False)
class Padding(Mask):
    """Keys before the end of each sequence. Made by :func:`padding`."""

    lengths: Tensor
    name: str = "padding"  # type: ignore[misc]
    shortest: int = field(init=False)
    longest: int = field(init=False)
    _last: "list[tuple[object, Tensor]]" = field(init=False, repr=False, default_factory=list)

    def __post_init__(self) -> None:
        lengths = self.lengths
        if not isinstance(lengths, Tensor) or lengths.is_floating_point() or lengths.is_complex():
            came = lengths.dtype if isinstance(lengths, Tensor) else type(lengths).__name__
            raise DtypeError(f"{self.name} needs whole numbers as lengths, got {came}")
        if lengths.dtype == torch.bool:
            raise DtypeError(
                f"{self.name} needs lengths, got a boolean tensor; pass it as the mask"
            )
        known = lengths.numel() and not torch.compiler.is_compiling()
        # One look at the data here lets every later call skip keys that nobody may see.
        shortest, longest = map(int, lengths.aminmax()) if known else (0, 2**62)
        if shortest < 0:
            raise RangeError(f"{self.name} needs lengths of at least 0, got {shortest}")
        object.__setattr__(self, "lengths", lengths.clone())  # the caller may count on with his
        object.__setattr__(self, "shortest", shortest)
        object.__setattr__(self, "longest", longest)

    def allowed(self, at: Tile, axes: int) -> Bool[Tensor, "*B r c"]:
        """Keys before the end, whatever the query."""
        ends = batch_first(self.lengths.unsqueeze(-1).unsqueeze(-1), axes, own=2)
        return at.columns < ends.to(at.columns.device)

    def reached(self, at: Tile, axes: int) -> Bool[Tensor, "*B 1 c"]:
        """Keys before the end."""
        return self.allowed(at, axes)

    def key_lengths(self) -> "Padding":
        """Itself."""
        return self

    def bias(self, num_keys: int, axes: int, like: Tensor) -> Float[Tensor, "*B 1 K"]:
        """Zero before the end, minus infinity behind it, for scores of ``axes`` axes.

        The last answer is kept: every layer of a model asks the same.
        """
        asked = (num_keys, axes, like.dtype, like.device)
        if not torch.compiler.is_compiling():
            for question, answer in tuple(self._last):  # another thread may put its own there
                if question == asked:
                    return answer
        allowed = self.allowed(Tile(range(1), range(num_keys), like.device), axes)
        bias = torch.zeros(allowed.shape, dtype=like.dtype, device=like.device)
        bias.masked_fill_(~allowed, -torch.inf)
        if not torch.compiler.is_compiling() and not bias.is_inference():
            self._last[:] = [(asked, bias)]
        return bias

    def tiles(self, rows: Spans, columns: Spans) -> Int[Tensor, "R C"]:
        """By the shortest and the longest sequence."""
        some = columns.starts < self.longest
        every = columns.stops <= self.shortest
        return (some.long() + every.long()).expand(len(rows.starts), -1)

    def check(self, leading: tuple[int, ...], num_queries: int, num_keys: int) -> None:
        """One length per sequence, none longer than the keys."""
        check_batch(self.name, "lengths", tuple(self.lengths.shape), leading)
        if num_keys < self.longest < 2**62:
            raise RangeError(
                f"{self.name} needs lengths of at most {num_keys}, the number of keys, "
                f"got {self.longest}"
            )

    def check_reach(self, leading: tuple[int, ...], num_queries: int, num_keys: int) -> None:
        """One length per sequence; keys that have not come yet may count."""
        check_batch(self.name, "lengths", tuple(self.lengths.shape), leading)

    @property
    def keeps_first(self) -> bool:
        """If no sequence is empty."""
        return self.shortest > 0

    def __repr__(self) -> str:
        shown = (
            self.lengths.tolist()
            if self.lengths.numel() <= 8
            else f"Tensor{tuple(self.lengths.shape)}"
        )
        return f"{self.name}({shown})"


def padding(lengths: Int[Tensor, "*B"] | Sequence[int]) -> Padding:
    """The first ``lengths`` keys of each sequence; what follows is padding.

    Args:
        lengths: one per sequence, aligned with the *first* leading axes: (B,) fits scores
            (B, H, Q, K) and (B, Q, K) alike.
    """
    return Padding(lengths if isinstance(lengths, Tensor) else torch.tensor(list(lengths)))


@dataclass(frozen=True, eq=False)
class Document(Mask):
    """Pairs within one document. Made by :func:`document`."""

    query_ids: Tensor
    key_ids: Tensor

    name = "document"

    def __post_init__(self) -> None:
        for ids in (self.query_ids, self.key_ids):
            if not isinstance(ids, Tensor) or ids.is_floating_point() or ids.dim() < 1:
                raise DtypeError(
                    "document needs ids as a tensor of whole numbers, one per position"
                )
        own = self.query_ids.clone()
        same = self.key_ids is self.query_ids
        object.__setattr__(self, "key_ids", own if same else self.key_ids.clone())
        object.__setattr__(self, "query_ids", own)

    def allowed(self, at: Tile, axes: int) -> Bool[Tensor, "*B r c"]:
        """Equal ids."""
        (rows,) = at.take_rows((batch_first(self.query_ids.unsqueeze(-1), axes, own=2),))
        (columns,) = at.take_columns((batch_first(self.key_ids.unsqueeze(-1), axes, own=2),))
        return rows == columns.mT

    def tiles(self, rows: Spans, columns: Spans) -> Int[Tensor, "R C"]:
        """By the range of ids on each side: disjoint ranges share none, equal points share all."""
        low_q, high_q = (x.unsqueeze(-1) for x in _ranges(self.query_ids, rows))  # (b, R, 1)
        low_k, high_k = (x.unsqueeze(-2) for x in _ranges(self.key_ids, columns))  # (b, 1, C)
        some = (low_q <= high_k) & (low_k <= high_q)
        every = (low_q == high_q) & (low_k == high_k) & (low_q == low_k)
        return some.any(0).long() + every.all(0).long()

    def tensors(self) -> list[Tensor]:
        """The ids."""
        return [self.query_ids, self.key_ids]

    def check(self, leading: tuple[int, ...], num_queries: int, num_keys: int) -> None:
        """One id per position."""
        for what, ids, count in (
            ("query", self.query_ids, num_queries),
            ("key", self.key_ids, num_keys),
        ):
            if ids.shape[-1] != count:
                raise ShapeError(
                    f"document needs one id for each of {count} {what} positions, "
                    f"got {ids.shape[-1]}"
                )
            check_batch("document", "ids", tuple(ids.shape[:-1]), leading)

    def check_reach(self, leading: tuple[int, ...], num_queries: int, num_keys: int) -> None:
        """At least one id per position."""
        own = self.query_ids.shape[-1], self.key_ids.shape[-1]
        self.check(leading, max(num_queries, own[0]), max(num_keys, own[1]))

    @property
    def keeps_self(self) -> bool:
        """If both sides are the same sequence."""
        return self.query_ids is self.key_ids

    def __repr__(self) -> str:
        return f"document(Tensor{tuple(self.query_ids.shape)})"


def document(ids: Int[Tensor, "*B Q"], key_ids: Int[Tensor, "*B K"] | None = None) -> Document:
    """Queries see the keys with their own id, as when several texts are packed into one row.

    Args:
        ids: one id per position, leading axes aligned with the first of the batch.
        key_ids: the ids of the keys, where they are another sequence.
    """
    return Document(ids, ids if key_ids is None else key_ids)


def _ranges(ids: Tensor, spans: Spans) -> tuple[Tensor, Tensor]:
    """Smallest and largest id within each span, (b, spans)."""
    flat = ids.detach().cpu().reshape(-1, ids.shape[-1])
    pieces = [flat[:, a:b].aminmax(dim=-1) for a, b in zip(*map(Tensor.tolist, spans), strict=True)]
    low = torch.stack([piece.min for piece in pieces], dim=-1)
    high = torch.stack([piece.max for piece in pieces], dim=-1)
    return low, high
