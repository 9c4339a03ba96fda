"""How alike heads look: the distance between their maps, and where that puts them on a plane."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from regard.types import Float, Tensor

from ..maps import Maps

ROWS = 512
"""Queries of a batch on which heads are compared."""


@dataclass(frozen=True, eq=False)
class Likenesses:
    r"""Heads of one kind of map, and how far apart they are.

    Args:
        heads: module and head.
        distances: square roots of the mean Jensen-Shannon divergence, in nats:
            :math:`JS(\alpha, \beta) = H(\tfrac{\alpha + \beta}2) - \tfrac{H(\alpha) + H(\beta)}2`.
        layout: where each head stands on a plane that keeps distances as well as a plane can:
            classical scaling, as Clark et al. 2019 do.
    """

    heads: tuple[tuple[str, int], ...]
    distances: Float[Tensor, "N N"] = field(repr=False)
    layout: Float[Tensor, "N 2"] = field(repr=False)

    def to_json(self) -> dict[str, Any]:
        """All of it as plain lists."""
        return {
            "heads": [list(head) for head in self.heads],
            "distances": self.distances.tolist(),
            "layout": self.layout.tolist(),
        }


class Likeness:
    """Sums over batches, of modules that look at the same keys with the same queries."""

    def __init__(self) -> None:
        self._sums: dict[str, tuple[list[tuple[str, int]], Tensor, int]] = {}

    def add(self, maps: Sequence[Maps]) -> None:
        """Take in the maps of all modules on one batch."""
        groups: dict[tuple[object, ...], list[Maps]] = {}
        for one in maps:
            shape = one.weights.shape
            groups.setdefault((one.kind, shape[0], *shape[2:], _mask(one)), []).append(one)
        for members in groups.values():
            names = [(one.name, head) for one in members for head in range(one.weights.shape[1])]
            told, rows = divergences(members)
            key = repr(names)
            known = self._sums.get(key)
            before = (told * 0, 0) if known is None else known[1:]
            self._sums[key] = (names, before[0] + told * rows, before[1] + rows)

    def result(self) -> tuple[Likenesses, ...]:
        """Distances and layout of every group of heads."""
        found = []
        for names, total, rows in self._sums.values():
            distances = (total / max(1, rows)).clamp(min=0).sqrt()
            found.append(Likenesses(tuple(names), distances, plane(distances)))
        return tuple(found)


def divergences(maps: Sequence[Maps]) -> tuple[Float[Tensor, "N N"], int]:
    """Mean Jensen-Shannon divergence of every two heads over some queries, and how many."""
    rows = maps[0].rows[:, 0]
    chosen = rows.nonzero()[:ROWS]
    weights = torch.cat([one.weights for one in maps], dim=1).clamp(min=0)
    table = weights[chosen[:, 0], :, chosen[:, 1]].transpose(0, 1).double()  # (N, R, K)
    own = torch.special.entr(table).sum(dim=-1)  # (N, R)
    found = torch.zeros(len(table), len(table), dtype=torch.float64)
    for one in range(len(table)):
        middle = torch.special.entr((table[one] + table[one:]) / 2).sum(dim=-1)
        found[one, one:] = (middle - (own[one] + own[one:]) / 2).mean(dim=-1)
    return found + found.triu(1).T, len(chosen)


def plane(distances: Float[Tensor, "N N"]) -> Float[Tensor, "N 2"]:
    """Points on a plane whose distances are as near to these as a linear map can make them."""
    count = len(distances)
    if count < 2:
        return torch.zeros(count, 2, dtype=distances.dtype)
    squared = distances.square()
    centred = squared - squared.mean(0) - squared.mean(1, keepdim=True) + squared.mean()
    values, vectors = torch.linalg.eigh(-centred / 2)
    values, vectors = values.flip(0)[:2].clamp(min=0), vectors.flip(1)[:, :2]
    sign = vectors.abs().argmax(dim=0)
    vectors = vectors * vectors.gather(0, sign[None]).sign()
    found = vectors * values.sqrt()
    return torch.nn.functional.pad(found, (0, 2 - found.shape[1]))


def _mask(maps: Maps) -> int:
    """Maps of one mask can be compared."""
    return hash((bool(maps.causal), int(maps.seen[:, 0].sum())))
