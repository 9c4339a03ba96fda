"""Least squares over the rows, columns and diagonals of a map that is never held."""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

import torch

from regard.types import Bool, Float, Tensor

Part = Literal["key", "offset"]
ENOUGH = 1e-13
"""A residual so much smaller than the right side ends the search."""


class Fit(NamedTuple):
    """What some parts explain."""

    explained: Float[Tensor, "*B"]
    """Sum of squares."""
    rank: Tensor
    """Numbers that the fit was free to choose."""


class Design:
    """Sums over columns and diagonals of a map whose rows have mean zero.

    Args:
        allowed: rows of booleans, True where a query may see a key; ``None`` is everywhere.
        queries: Q.
        keys: K.
        tile: rows at a time.
    """

    def __init__(
        self, allowed: Callable[[slice], Tensor] | None, queries: int, keys: int, tile: int
    ) -> None:
        self.queries, self.keys, self.tile = queries, keys, tile
        self._allowed = allowed
        self.columns = self.diagonals = torch.zeros(())

    def slices(self) -> Iterator[slice]:
        """Some queries at a time, all of them in the end."""
        for start in range(0, self.queries, self.tile):
            yield slice(start, min(start + self.tile, self.queries))

    def seen(self, at: slice) -> Bool[Tensor, "*B r K"]:
        """Which keys these queries may see."""
        if self._allowed is None:
            return torch.ones(at.stop - at.start, self.keys, dtype=torch.bool)
        return self._allowed(at)

    @staticmethod
    def centred(rows: Float[Tensor, "*#B r K"], seen: Bool[Tensor, "*#B r K"]) -> Tensor:
        """Rows less their mean over the keys that are seen; 0 elsewhere."""
        held = rows.masked_fill(~seen, 0) if rows.shape == seen.shape else rows * seen
        if rows.shape != seen.shape:
            held = torch.where(seen, rows, torch.zeros_like(rows))
        mean = held.sum(dim=-1, keepdim=True) / seen.sum(dim=-1, keepdim=True).clamp(min=1)
        return (held - mean) * seen

    def add(self, at: slice, centred: Tensor) -> None:
        """Take rows of the target into the sums."""
        self.columns = self.columns + centred.sum(dim=-2)
        self.diagonals = self.diagonals + self._along(at, centred)

    def sums(self, parts: Sequence[Part]) -> Tensor:
        """The right side of the normal equations."""
        found = {"key": self.columns, "offset": self.diagonals}
        return torch.cat([found[part] for part in parts], dim=-1)

    def apply(self, guess: Float[Tensor, "*B P"], parts: Sequence[Part]) -> Tensor:
        """The normal equations' left side: the map of ``guess``, centred, and its sums."""
        key, offset = self._parts(guess, parts)
        columns: Tensor | float = 0.0
        diagonals: Tensor | float = 0.0
        for at in self.slices():
            rows = self._map(at, key, offset)
            centred = self.centred(rows, self.seen(at).to(guess.device))
            if key is not None:
                columns = columns + centred.sum(dim=-2)
            if offset is not None:
                diagonals = diagonals + self._along(at, centred)
        found = {"key": columns, "offset": diagonals}
        return torch.cat([torch.as_tensor(found[part]) for part in parts], dim=-1)

    def rank(self, parts: Sequence[Part]) -> Tensor:
        """Numbers that a fit of these parts chooses beside the means of rows."""
        columns, diagonals = self._occupied()
        count = torch.zeros(())
        if "key" in parts:
            count = count + columns - 1
        if "offset" in parts:
            count = count + diagonals - 1
        return (count - (len(parts) - 1)).clamp(min=0).double()

    def _occupied(self) -> tuple[Tensor, Tensor]:
        """How many columns and diagonals are seen at all."""
        columns = diagonals = torch.zeros(())
        for at in self.slices():
            seen = self.seen(at).double()
            columns = columns + seen.sum(dim=-2)
            diagonals = diagonals + self._along(at, seen)
        return (columns > 0).sum(dim=-1), (diagonals > 0).sum(dim=-1)

    def _parts(self, guess: Tensor, parts: Sequence[Part]) -> tuple[Tensor | None, Tensor | None]:
        if "key" not in parts:
            return None, guess
        if "offset" not in parts:
            return guess, None
        return guess[..., : self.keys], guess[..., self.keys :]

    def _map(self, at: slice, key: Tensor | None, offset: Tensor | None) -> Tensor:
        rows: Tensor | float = 0.0
        if key is not None:
            rows = key.unsqueeze(-2).expand(*key.shape[:-1], at.stop - at.start, self.keys)
        if offset is not None:
            rows = rows + offset[..., self._offsets(at, offset.device)]
        assert isinstance(rows, Tensor)
        return rows

    def _along(self, at: slice, rows: Tensor) -> Float[Tensor, "*B QK"]:
        """Sums of diagonals; entry j − i + Q − 1 is of offset j − i."""
        index = self._offsets(at, rows.device).flatten()
        sums = rows.new_zeros(*rows.shape[:-2], self.queries + self.keys - 1)
        return sums.index_add_(-1, index, rows.flatten(-2))

    def _offsets(self, at: slice, device: torch.device) -> Tensor:
        queries = torch.arange(at.start, at.stop, device=device)
        keys = torch.arange(self.keys, device=device)
        return keys - queries.unsqueeze(-1) + self.queries - 1  # (r, K)


def solve(design: Design, parts: Sequence[Part], *, steps: int = 500) -> Fit:
    """The least squares fit of some parts, by conjugate gradients.

    The equations have many solutions, since a constant may move from one part to another; all
    explain the same.
    """
    wanted = design.sums(parts)
    found = torch.zeros_like(wanted)
    residual, direction = wanted.clone(), wanted.clone()
    size = residual.square().sum(dim=-1)
    enough = size * ENOUGH**2
    for _ in range(min(steps, 2 * wanted.shape[-1])):
        if not (size > enough).any():
            break
        applied = design.apply(direction, parts)
        curve = (direction * applied).sum(dim=-1)
        step = torch.where((size > enough) & (curve > 0), size / curve.clamp(min=1e-300), 0.0)
        found = found + step.unsqueeze(-1) * direction
        residual = residual - step.unsqueeze(-1) * applied
        after = residual.square().sum(dim=-1)
        direction = residual + (after / size.clamp(min=1e-300)).unsqueeze(-1) * direction
        size = after
    return Fit((found * wanted).sum(dim=-1), design.rank(parts))
