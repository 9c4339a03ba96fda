"""What stands beside the roles of a head: confidence, distance, entropy, and what it looks by."""

import torch

from regard.types import Float, Tensor

from ..decompose import SHARES, Shares, decompose
from ..maps import Maps

SHARED = 32
"""Sentences whose scores are taken apart; it costs some passes over each map."""


class Facts:
    """Means over queries of one module's heads."""

    def __init__(self) -> None:
        self.sums: Float[Tensor, "H F"] | None = None
        self.shares: list[Shares] = []
        self.heads = 0

    def add(self, maps: Maps) -> None:
        """Take a batch in."""
        self.heads = maps.weights.shape[1]
        if maps.kind == "gate":
            return
        found = _measured(maps)
        self.sums = found if self.sums is None else self.sums + found
        read = sum(len(one.spread) for one in self.shares)
        if maps.scores is not None and read < SHARED and maps.scores.shape[-2] > 1:
            some = slice(0, SHARED - read)
            scores = maps.scores[some].masked_fill(~maps.seen[some], 0)
            if torch.isfinite(scores).all():
                self.shares.append(decompose(scores, maps.seen[some]))

    def of(self, head: int) -> tuple[float | None, float | None, float | None, dict[str, float]]:
        """Confidence, distance, entropy and shares of one head."""
        if self.sums is None:
            return None, None, None, {}
        rows = self.sums[head, -1].clamp(min=1)
        confidence, distance, entropy = (self.sums[head, :3] / rows).tolist()
        return confidence, distance, entropy, self._shares(head)

    def _shares(self, head: int) -> dict[str, float]:
        if not self.shares:
            return {}
        parts = ("by_key", "by_offset", "by_both", "spread")
        joined = Shares(
            *(torch.cat([getattr(one, part) for one in self.shares]) for part in parts)
        ).over(0)
        return {name: float(getattr(joined, name)[head]) for name in SHARES}


def _measured(maps: Maps) -> Float[Tensor, "H F"]:
    """Sums over queries: the largest weight without the end, |j − i|, entropy; and how many."""
    end = maps.key.classes.get("end")
    inner = maps.weights if end is None else maps.weights.masked_fill(end[:, None, None], 0)
    keys = maps.seen.sum(dim=-1)
    rows = maps.rows & (keys > 1)
    entropy = torch.special.entr(maps.weights.clamp(min=0)).sum(dim=-1) / keys.clamp(min=2).log()
    distance = (maps.weights * maps.offsets.abs()).sum(dim=-1)
    parts = [inner.amax(dim=-1), distance, entropy, torch.ones_like(entropy)]
    return torch.stack([(part * rows).sum(dim=(0, 2)).double() for part in parts], dim=-1)
