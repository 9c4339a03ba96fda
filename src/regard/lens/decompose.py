"""What a head looks by: its scores as a part of the key, a part of the distance, and the rest."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from regard.errors import RangeError, ShapeError
from regard.notebook import table
from regard.types import Bool, Float, Tensor

from .least_squares import Design, Fit, Part, solve

Tile = Callable[[slice], Tensor]
"""Rows of a map: (*B, r, K) of some queries."""
TILE = 256
"""Rows that are in memory together."""
PARTS: tuple[tuple[Part, ...], ...] = (("key",), ("offset",), ("key", "offset"))
SHARES = ("key", "offset", "either", "content", "spread")
FLAT = 1e-12
"""A spread below it is that of a head that scores all keys alike."""


@dataclass(frozen=True, eq=False)
class Shares:
    r"""The four shares of what softmax sees of a map of scores; they sum to 1.

    ``key`` is what only the key explains, the query does not matter; ``offset`` what only the
    distance explains; ``either`` what both explain alike: a trend from the first key to the last
    *is* a trend in the distance (ALiBi), and nobody can tell them apart; ``content`` is the rest,
    for which query and key must meet. ``spread`` is σ, how far the scores of a row lie apart, in
    nats: with σ = 0.2 softmax is uniform but for σ²/2 = 0.02 nats.

    Args:
        by_key: R² of b, less what chance explains; of a small map it may be below 0.
        by_offset: R² of f, likewise.
        by_both: R² of b and f together, likewise.
        spread: σ.
    """

    by_key: Float[Tensor, "*B"]
    by_offset: Float[Tensor, "*B"]
    by_both: Float[Tensor, "*B"]
    spread: Float[Tensor, "*B"]

    @property
    def key(self) -> Float[Tensor, "*B"]:
        """What only the key explains."""
        return self._shares()[0]

    @property
    def offset(self) -> Float[Tensor, "*B"]:
        """What only the distance explains."""
        return self._shares()[1]

    @property
    def either(self) -> Float[Tensor, "*B"]:
        """What both explain alike."""
        return self._shares()[2]

    @property
    def content(self) -> Float[Tensor, "*B"]:
        """What neither does."""
        key, offset, either = self._shares()
        return 1 - (key + offset + either)

    def _shares(self) -> tuple[Tensor, Tensor, Tensor]:
        """Key, offset, either: between 0 and 1, whatever chance did to the estimates of R²."""
        key, offset = (part.clamp(0, 1) for part in (self.by_key, self.by_offset))
        both = torch.maximum(self.by_both.clamp(0, 1), torch.maximum(key, offset))
        alone = 2 * both - key - offset
        # Each explains little alone and much beside the other: there is nothing that both explain.
        scale = torch.where(alone > both, both / alone.clamp(min=FLAT), torch.ones_like(both))
        return (both - offset) * scale, (both - key) * scale, (key + offset - both).clamp(min=0)

    def __repr__(self) -> str:
        told = (f"{name} {value}" for name, value in self._means())
        return f"Shares({', '.join(told)})"

    def _repr_html_(self) -> str:
        return table(("share", "mean"), self._means())

    def _means(self) -> list[tuple[str, str]]:
        parts = ((name, getattr(self, name)) for name in SHARES)
        return [(name, f"{part.double().mean().item():.3g}") for name, part in parts]

    def over(self, dim: int) -> "Shares":
        """One axis taken together, as if its maps were parts of one: by the weight of σ²."""
        weight = self.spread.square()
        total = weight.sum(dim).clamp(min=FLAT)
        parts = (self.by_key, self.by_offset, self.by_both)
        key, offset, both = ((part * weight).sum(dim) / total for part in parts)
        return Shares(key, offset, both, weight.mean(dim).sqrt())


def decompose(
    scores: Float[Tensor, "*B Q K"] | Tile,
    allowed: Bool[Tensor, "*#B Q K"] | Tile | None = None,
    *,
    size: tuple[int, int] | None = None,
    tile: int = TILE,
) -> Shares:
    r"""What a head looks by.

    .. math:: s_{ij} \approx a_i + b_j + f(j - i)

    a is what softmax cancels. With R²(·) the part of the scores' spread around a that a least
    squares fit explains, less what chance explains for every number that it is free to choose:

    .. math:: \text{key} = R^2(b, f) - R^2(f), \quad \text{offset} = R^2(b, f) - R^2(b), \quad
              \text{content} = 1 - R^2(b, f)

    and either is what is left. σ ≈ 0 is a uniform head, key ≈ 1 a sink or a score in which the
    query cancels, offset ≈ 1 a positional head, content ≈ 1 one that looks by what is there.

    The scores are read once, row by row; the fit is solved by conjugate gradients on sums over
    rows, columns and diagonals, and never holds the map: O(Q + K) memory beside one tile.

    Args:
        scores: before softmax, with scale and bias; or a function from a slice of queries to them.
        allowed: which keys each query may see; likewise, or all.
        size: Q and K, where ``scores`` is a function.
        tile: queries at a time.

    Raises:
        RangeError: a score that is allowed and not finite.
        ShapeError: a function without a size.
    """
    rows = _rows(scores)
    if isinstance(scores, Tensor):
        size = (scores.shape[-2], scores.shape[-1])
    if size is None:
        raise ShapeError("decompose needs size=(queries, keys) of scores that come as a function")
    design, total, cells = _read(rows, allowed, size, tile)
    found = [solve(design, parts) for parts in PARTS]
    explained = _beyond_chance(found, total, cells - size[0])
    flat = total / cells.clamp(min=1) < FLAT
    key, offset, both = (torch.where(flat, 0.0, part) for part in explained)
    return Shares(key, offset, both, (total / cells.clamp(min=1)).sqrt())


def frozen_share(weights: Float[Tensor, "N *B Q K"]) -> Float[Tensor, "*B"]:
    r"""How alike the maps of several inputs of one length are: 1 if every input has the same.

    .. math:: R_{frozen} = 1 - \operatorname{mean}_{x, x', i}
              \tfrac12 \sum_j |\alpha_{ij}(x) - \alpha_{ij}(x')|

    Over all pairs of inputs: of sorted values the sum of their distances is a sum of ranks, so
    that N inputs cost N log N.

    Raises:
        RangeError: fewer than two inputs.
    """
    count = len(weights)
    if count < 2:
        raise RangeError(f"frozen_share needs at least two inputs of one length, got {count}")
    ordered = weights.double().sort(dim=0).values
    ranks = torch.arange(count, dtype=torch.float64, device=weights.device) * 2 - (count - 1)
    apart = (ordered * ranks.view(-1, *[1] * (weights.dim() - 1))).sum(dim=0)  # (*B, Q, K)
    pairs = count * (count - 1) / 2
    return 1 - 0.5 * apart.sum(dim=-1).mean(dim=-1) / pairs


def _rows(given: Tensor | Tile) -> Tile:
    return (lambda at: given[..., at, :]) if isinstance(given, Tensor) else given


def _read(
    rows: Tile, allowed: Tensor | Tile | None, size: tuple[int, int], tile: int
) -> tuple[Design, Tensor, Tensor]:
    """One pass over the scores: the sums that a fit needs, their spread, and how many there are."""
    queries, keys = size
    which = None if allowed is None else _rows(allowed)
    design = Design(which, queries, keys, tile)
    total = cells = torch.zeros(())
    for at in design.slices():
        scores = rows(at).double()
        seen = design.seen(at).to(scores.device)
        if not torch.isfinite(scores.masked_fill(~seen, 0)).all():
            raise RangeError("decompose needs finite scores, got inf or NaN at a key that is seen")
        centred = design.centred(scores, seen)
        total = total + centred.square().sum(dim=(-2, -1))
        cells = cells + seen.expand(centred.shape).sum(dim=(-2, -1))
        design.add(at, centred)
    return design, total, cells


def _beyond_chance(fits: list[Fit], total: Tensor, free: Tensor) -> list[Tensor]:
    """R² of every fit less what chance explains: one share of the noise per number it chooses.

    The noise is what the largest fit, the last one, leaves over.
    """
    largest = fits[-1]
    noise = (total - largest.explained).clamp(min=0) / (free - largest.rank).clamp(min=1)
    return [(fit.explained - fit.rank * noise) / total.clamp(min=FLAT) for fit in fits]
