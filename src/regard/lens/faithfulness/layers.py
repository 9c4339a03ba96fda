"""Maps of several layers made one: rollout, and flow."""

from collections.abc import Sequence

import torch

from regard.errors import RangeError
from regard.types import Float, Tensor

MOST = 64
"""Tokens of a graph whose flow is found."""


def rollout(
    maps: Sequence[Float[Tensor, "N N"]],
    row: Float[Tensor, " N"] | int,
    *,
    residual: bool = True,
) -> Float[Tensor, " N"]:
    r"""Where one query of the last layer looks in the input, layer by layer.

    .. math:: r = e_t^\top \tilde A_L \cdots \tilde A_1, \qquad \tilde A = (\bar A + I) / 2

    Abnar and Zuidema 2020 (https://arxiv.org/abs/2005.00928). One vector times one map after the
    other, never a product of maps: O(N) memory beside them.

    Args:
        maps: mean over heads of each layer, the first layer first; rows are made to sum to 1.
        row: which query, or how much each position of the last layer counts.
        residual: whether half of each row stays where it is.
    """
    count = maps[0].shape[-1]
    found = torch.zeros(count, dtype=torch.float64)
    if isinstance(row, int):
        found[row] = 1
    else:
        found = row.double().cpu()
    for weights in reversed(maps):
        shares = _rows(weights.double().cpu())
        passed = found @ shares
        found = (found + passed) / 2 if residual else passed
    return found


def flow(maps: Sequence[Float[Tensor, "N N"]], row: int) -> Float[Tensor, " N"]:
    """The most that can flow from one query of the last layer to each position of the input.

    Abnar and Zuidema 2020: the maximal flow through the graph whose edges are the weights with the
    residual path, as in :func:`rollout`. Each input is a sink by itself.

    Args:
        maps: mean over heads of each layer, the first layer first.
        row: which query.

    Raises:
        RangeError: more than 64 positions.
    """
    count = maps[0].shape[-1]
    if count > MOST:
        raise RangeError(f"flow needs at most {MOST} positions, got {count}; take rollout")
    half = [(_rows(one.double().cpu()) + torch.eye(count, dtype=torch.float64)) / 2 for one in maps]
    found = [_largest(half, row, sink) for sink in range(count)]
    return torch.tensor(found, dtype=torch.float64)


def _rows(weights: Tensor) -> Tensor:
    return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-12)


def _largest(maps: Sequence[Tensor], source: int, sink: int) -> float:
    """The maximal flow, path by path, the shortest first (Edmonds and Karp 1972).

    All paths have one length before residual edges are used: one edge a layer.
    """
    layers, count = len(maps), maps[0].shape[-1]
    capacity: dict[int, dict[int, float]] = {}

    def node(layer: int, place: int) -> int:
        return layer * count + place

    for depth, weights in enumerate(maps):
        for i, edges in enumerate(weights.tolist()):
            for j, much in enumerate(edges):
                if much > 0:
                    upper, lower = node(depth + 1, i), node(depth, j)
                    capacity.setdefault(upper, {})[lower] = much
                    capacity.setdefault(lower, {}).setdefault(upper, 0.0)
    start, end, total = node(layers, source), node(0, sink), 0.0
    while (path := _path(capacity, start, end)) is not None:
        least = min(capacity[a][b] for a, b in path)
        for a, b in path:
            capacity[a][b] -= least
            capacity[b][a] += least
        total += least
    return total


def _path(
    capacity: dict[int, dict[int, float]], start: int, end: int
) -> list[tuple[int, int]] | None:
    """The shortest way with room left."""
    came, waiting = {start: start}, [start]
    for place in waiting:
        for other, room in capacity.get(place, {}).items():
            if room > 1e-12 and other not in came:
                came[other] = place
                waiting.append(other)
        if end in came:
            break
    if end not in came:
        return None
    path = []
    while end != start:
        path.append((came[end], end))
        end = came[end]
    return path[::-1]
