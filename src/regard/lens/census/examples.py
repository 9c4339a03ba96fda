"""Rows of a head to look at, drawn over a whole corpus in one pass."""

from dataclasses import dataclass, field
from typing import Any

import torch

from ..maps import Maps

BUCKETS = 5
"""By how sharp a row is: fifths of what was seen."""
TOP, SOME = 10, 3
"""Rows kept of the sharpest, and of each bucket."""
KEYS, LEAST = 8, 0.005
"""Keys that are kept of a row."""
FIRST = 2048
"""Rows from which the ends of the buckets are found."""


@dataclass(frozen=True)
class Example:
    """One query of a sentence, and the keys it looked at most.

    Args:
        sentence: its number in the corpus.
        query: its position.
        sharpness: its largest weight, position 0 left out.
        bucket: 0, of the dullest rows, to 4; 5 is among the sharpest of all.
        keys: positions and weights, the largest first.
        tokens: the sentence that was looked at, where its text is known.
        looking: the token that looked.
    """

    sentence: int
    query: int
    sharpness: float
    bucket: int
    keys: tuple[tuple[int, float], ...]
    tokens: tuple[str, ...] = field(default=(), repr=False)
    looking: str = ""

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        return {**vars(self), "keys": [list(one) for one in self.keys], "tokens": list(self.tokens)}


class Examples:
    """The sharpest rows of every head, and some of every fifth: a reservoir each.

    A row's draw is by a number that its place in the corpus decides, so that the same corpus has
    the same examples however it is cut into batches.
    """

    def __init__(self) -> None:
        self.sentences = 0
        self.heads = 0
        self._ends: torch.Tensor | None = None
        self._top: list[list[tuple[float, Example]]] = []
        self._some: list[list[list[tuple[float, Example]]]] = []

    def add(self, maps: Maps) -> None:
        """Take a batch in."""
        weights = maps.weights.masked_fill(~maps.seen, 0)
        inner = weights.clone()
        inner[..., 0] = 0
        sharp = inner.amax(dim=-1).masked_fill(~maps.rows, -1)  # (B, H, Q)
        if not self._top:
            self._begin(sharp)
        for head in range(self.heads):
            self._head(head, maps, sharp[:, head], weights[:, head])
        self.sentences += len(weights)

    def of(self, head: int) -> tuple[Example, ...]:
        """The sharpest first, then some of every bucket, the sharpest of them first."""
        if not self._top:
            return ()
        kept = [one for _, one in sorted(self._top[head], key=lambda pair: -pair[0])]
        for bucket in reversed(self._some[head]):
            kept += [one for _, one in sorted(bucket, key=lambda pair: pair[0])]
        return tuple(kept)

    def _begin(self, sharp: torch.Tensor) -> None:
        self.heads = sharp.shape[1]
        self._top = [[] for _ in range(self.heads)]
        self._some = [[[] for _ in range(BUCKETS)] for _ in range(self.heads)]
        steps = torch.linspace(0, 1, BUCKETS + 1)[1:-1].to(sharp)
        ends = []
        for head in range(self.heads):
            rows = sharp[:, head][sharp[:, head] >= 0][:FIRST]
            ends.append(torch.quantile(rows, steps) if len(rows) else steps)
        self._ends = torch.stack(ends)

    def _head(self, head: int, maps: Maps, sharp: torch.Tensor, weights: torch.Tensor) -> None:
        assert self._ends is not None
        rows = (sharp >= 0).nonzero()
        if not len(rows):
            return
        sizes = sharp[rows[:, 0], rows[:, 1]]
        buckets = torch.bucketize(sizes, self._ends[head].contiguous())
        draws = _draws(rows[:, 0] + self.sentences, rows[:, 1])
        for place in sizes.topk(min(TOP, len(sizes))).indices.tolist():
            self._keep(
                self._top[head], TOP, -float(sizes[place]), rows[place], BUCKETS, maps, weights
            )
        for bucket in range(BUCKETS):
            own = (buckets == bucket).nonzero().flatten()
            first = own[draws[own].argsort()[:SOME]].tolist()
            for place in first:
                kept = self._some[head][bucket]
                self._keep(kept, SOME, float(draws[place]), rows[place], bucket, maps, weights)

    def _keep(
        self,
        kept: list[tuple[float, Example]],
        most: int,
        order: float,
        at: torch.Tensor,
        bucket: int,
        maps: Maps,
        weights: torch.Tensor,
    ) -> None:
        """Keep a row if it is before others; what is kept has the least order."""
        if len(kept) == most and order >= max(pair[0] for pair in kept):
            return
        example = self._example(at, bucket, maps, weights)
        rank = -example.sharpness if bucket == BUCKETS else order
        kept.append((rank, example))
        kept.sort(key=lambda pair: pair[0])
        del kept[most:]

    def _example(self, at: torch.Tensor, bucket: int, maps: Maps, weights: torch.Tensor) -> Example:
        sentence, query = at.tolist()
        row = weights[sentence, query]
        found = row.topk(min(KEYS, len(row)))
        keys = zip(found.indices.tolist(), found.values.tolist(), strict=True)
        looked, looking = maps.key.texts, maps.query.texts
        mine = looking[sentence] if looking else ()
        return Example(
            sentence=sentence + self.sentences,
            query=query,
            sharpness=float(row[1:].max()) if len(row) > 1 else 0.0,
            bucket=bucket,
            keys=tuple((key, weight) for key, weight in keys if weight >= LEAST),
            tokens=looked[sentence] if looked else (),
            looking=mine[query] if query < len(mine) else "",
        )


def _draws(sentences: torch.Tensor, queries: torch.Tensor) -> torch.Tensor:
    """A number between 0 and 1 for every row, as good as drawn."""
    mixed = (sentences * 1_000_003 + queries * 7_919 + 12_345).double()
    return (mixed * 0.6180339887498949).frac()
