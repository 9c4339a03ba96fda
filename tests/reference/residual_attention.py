"""Residual attention as loops over lists: trunk, hourglass and mask."""

import math
from collections.abc import Callable

from .vision import Grid, Maps, Parameters, convolve, sigmoid


def normalised(p: Parameters, name: str, maps: Maps) -> Maps:
    """Batch norm by its running statistics."""
    out = []
    for c, grid in enumerate(maps):
        mean, variance = p[f"{name}.running_mean"][c], p[f"{name}.running_var"][c]
        factor = p[f"{name}.weight"][c] / math.sqrt(variance + 1e-5)
        out.append([[(x - mean) * factor + p[f"{name}.bias"][c] for x in row] for row in grid])
    return out


def activated(p: Parameters, name: str, maps: Maps) -> Maps:
    """Batch norm, ReLU, convolution."""
    positive = [
        [[max(0.0, x) for x in row] for row in g] for g in normalised(p, f"{name}.norm", maps)
    ]
    return convolve(p[f"{name}.convolution.weight"], positive)


def added(first: Maps, second: Maps) -> Maps:
    """The sum, number by number."""
    return _zipped(lambda a, b: a + b, first, second)


def _zipped(function: Callable[[float, float], float], first: Maps, second: Maps) -> Maps:
    return [
        [[function(a, b) for a, b in zip(*rows, strict=True)] for rows in zip(g, h, strict=True)]
        for g, h in zip(first, second, strict=True)
    ]


def residual_unit(p: Parameters, name: str, maps: Maps) -> Maps:
    """He et al. 2016: a bottleneck with pre-activation beside the identity."""
    out = maps
    for part in ("reduce", "look_around", "expand"):
        out = activated(p, f"{name}.{part}", out)
    return added(maps, out)


def residual_units(p: Parameters, name: str, maps: Maps) -> Maps:
    """All units that have parameters under this name, in order."""
    n = 0
    while f"{name}.{n}.reduce.norm.weight" in p:
        maps = residual_unit(p, f"{name}.{n}", maps)
        n += 1
    return maps


def max_pooled(maps: Maps) -> Maps:
    """The maximum of 3 × 3 around every second position."""

    def largest(grid: Grid, i: int, j: int) -> float:
        rows = range(max(0, i - 1), min(len(grid), i + 2))
        columns = range(max(0, j - 1), min(len(grid[0]), j + 2))
        return max(grid[a][b] for a in rows for b in columns)

    return [
        [[largest(g, i, j) for j in range(0, len(g[0]), 2)] for i in range(0, len(g), 2)]
        for g in maps
    ]


def _between(n: int, size: int, i: int) -> tuple[int, int, float]:
    """The two of ``n`` old positions around new position ``i`` of ``size``, and how far between."""
    where = max(0.0, (i + 0.5) * n / size - 0.5)
    low = min(int(where), n - 1)
    return low, min(low + 1, n - 1), where - low


def bilinear(maps: Maps, height: int, width: int) -> Maps:
    """Interpolation between pixel centres; what lies outside them is the nearest one."""
    out = []
    for grid in maps:
        rows = []
        for i in range(height):
            a, b, down = _between(len(grid), height, i)
            row = []
            for j in range(width):
                c, d, across = _between(len(grid[0]), width, j)
                above = (1 - across) * grid[a][c] + across * grid[a][d]
                below = (1 - across) * grid[b][c] + across * grid[b][d]
                row.append((1 - down) * above + down * below)
            rows.append(row)
        out.append(rows)
    return out


def hourglass(p: Parameters, name: str, maps: Maps) -> Maps:
    """Down, deeper where there is a deeper one, and up again."""
    small = residual_units(p, f"{name}.down", max_pooled(maps))
    if any(key.startswith(f"{name}.inner.") for key in p):
        inner = hourglass(p, f"{name}.inner", small)
        small = added(inner, residual_unit(p, f"{name}.skip", small))
    return bilinear(residual_units(p, f"{name}.up", small), len(maps[0]), len(maps[0][0]))


def mixed(maps: Maps) -> Maps:
    """Wang et al., Eq. 4."""
    return [[[sigmoid(x) for x in row] for row in grid] for grid in maps]


def channel(maps: Maps) -> Maps:
    """Wang et al., Eq. 5."""
    height, width = len(maps[0]), len(maps[0][0])
    norms = [
        [math.sqrt(sum(grid[i][j] ** 2 for grid in maps)) for j in range(width)]
        for i in range(height)
    ]
    return [
        [[grid[i][j] / norms[i][j] for j in range(width)] for i in range(height)] for grid in maps
    ]


def spatial(maps: Maps) -> Maps:
    """Wang et al., Eq. 6, with 10⁻⁵ added to the variance."""
    out = []
    for grid in maps:
        numbers = [x for row in grid for x in row]
        mean = sum(numbers) / len(numbers)
        variance = sum((x - mean) ** 2 for x in numbers) / len(numbers)
        deviation = math.sqrt(variance + 1e-5)
        out.append([[sigmoid((x - mean) / deviation) for x in row] for row in grid])
    return out


ACTIVATIONS = {"mixed": mixed, "channel": channel, "spatial": spatial}


def residual_attention(p: Parameters, activation: str, maps: Maps) -> tuple[Maps, Maps]:
    """Wang et al., Eq. 3: the output, and the mask."""
    maps = residual_units(p, "before", maps)
    trunk = residual_units(p, "trunk", maps)
    scores = hourglass(p, "mask.hourglass", maps)
    for layer in ("mask.head.0", "mask.head.1"):
        scores = activated(p, layer, scores)
    mask = ACTIVATIONS[activation](scores)
    out = _zipped(lambda m, t: (1 + m) * t, mask, trunk)
    return residual_units(p, "after", out), mask
