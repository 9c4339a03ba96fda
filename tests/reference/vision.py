"""Attention over images as loops over lists.

Feature maps of one image are ``[channel][row][column]``, or ``[channel][position]`` where the shape
of the grid does not matter. Parameters come by the names under which the modules keep them.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

Vector = Sequence[float]
Matrix = Sequence[Vector]
Grid = list[list[float]]
Maps = list[Grid]
Parameters = Mapping[str, Any]


def sigmoid(x: float) -> float:
    """Return 1 / (1 + e^-x)."""
    return 1.0 / (1.0 + math.exp(-x))


def linear(weight: Matrix, x: Vector, bias: Vector | None = None) -> list[float]:
    """Return W x + b."""
    shift = bias if bias is not None else [0.0] * len(weight)
    return [
        sum(w * a for w, a in zip(row, x, strict=True)) + b
        for row, b in zip(weight, shift, strict=True)
    ]


def softmax(scores: Vector) -> list[float]:
    """Return e^x / sum e^x."""
    exponentials = [math.exp(x - max(scores)) for x in scores]
    return [e / sum(exponentials) for e in exponentials]


# --- channels -------------------------------------------------------------------------------------


def _excited(p: Parameters, z: Vector) -> list[float]:
    hidden = [max(0.0, h) for h in linear(p["reduce_proj.weight"], z, p.get("reduce_proj.bias"))]
    return linear(p["expand_proj.weight"], hidden, p.get("expand_proj.bias"))


def squeeze_excitation_gate(p: Parameters, features: Matrix) -> list[float]:
    """Hu et al., Eq. 2 and 3, of ``[channel][position]``."""
    squeezed = [sum(channel) / len(channel) for channel in features]
    return [sigmoid(e) for e in _excited(p, squeezed)]


def efficient_channel_gate(p: Parameters, features: Matrix) -> list[float]:
    """Wang et al. 2020, Eq. 11, of ``[channel][position]``: zeros beyond the first and the last."""
    ((kernel,),) = p["convolution.weight"]
    mean = [sum(channel) / len(channel) for channel in features]
    half = len(kernel) // 2

    def at(place: int) -> float:
        return mean[place] if 0 <= place < len(mean) else 0.0

    return [
        sigmoid(sum(w * at(c + step - half) for step, w in enumerate(kernel)))
        for c in range(len(mean))
    ]


def normalised_layer(p: Parameters, name: str, x: Vector, epsilon: float) -> list[float]:
    """Layer norm with its scale and shift."""
    mean = sum(x) / len(x)
    spread = math.sqrt(sum((a - mean) ** 2 for a in x) / len(x) + epsilon)
    scale, shift = p[f"{name}.weight"], p[f"{name}.bias"]
    return [s * (a - mean) / spread + b for s, a, b in zip(scale, x, shift, strict=True)]


def global_context(p: Parameters, features: Matrix, fuse: str) -> list[list[float]]:
    """Cao et al. 2019, Eq. 4, of ``[channel][position]``; scaled first where it does both."""
    (weight,), (shift,) = p["key_proj.weight"], p["key_proj.bias"]
    scores = [
        sum(w * x for w, x in zip(weight, at, strict=True)) + shift
        for at in zip(*features, strict=True)
    ]
    weights = softmax(scores)
    context = [sum(a * x for a, x in zip(weights, channel, strict=True)) for channel in features]

    def transformed(way: str) -> list[float]:
        hidden = linear(p[f"{way}.reduce_proj.weight"], context, p[f"{way}.reduce_proj.bias"])
        hidden = [max(0.0, h) for h in normalised_layer(p, f"{way}.norm", hidden, 1e-6)]
        return linear(p[f"{way}.expand_proj.weight"], hidden, p[f"{way}.expand_proj.bias"])

    found = [list(channel) for channel in features]
    if fuse in ("scale", "both"):
        found = gated_channels([sigmoid(x) for x in transformed("scale")], found)
    if fuse in ("add", "both"):
        found = [
            [x + more for x in row] for row, more in zip(found, transformed("add"), strict=True)
        ]
    return found


def coordinate_attention(p: Parameters, maps: Maps) -> Maps:
    """Hou et al. 2021, Eq. 4 to 9, with the statistics of evaluation in the norm."""
    height, width = len(maps[0]), len(maps[0][0])
    rows = [[sum(m[i]) / width for m in maps] for i in range(height)]
    columns = [[sum(m[i][j] for i in range(height)) / height for m in maps] for j in range(width)]

    def described(line: Vector) -> list[float]:
        reduced = linear(p["reduce_proj.weight"], line, p["reduce_proj.bias"])
        means, variances = p["norm.running_mean"], p["norm.running_var"]
        scale, shift = p["norm.weight"], p["norm.bias"]
        found = [
            s * (x - m) / math.sqrt(v + 1e-5) + b
            for x, m, v, s, b in zip(reduced, means, variances, scale, shift, strict=True)
        ]
        return [x * min(6.0, max(0.0, x + 3)) / 6 for x in found]

    def gates(lines: Matrix, name: str) -> list[list[float]]:
        told = [linear(p[f"{name}.weight"], described(x), p[f"{name}.bias"]) for x in lines]
        return [[sigmoid(x) for x in line] for line in told]

    by_row, by_column = gates(rows, "row_proj"), gates(columns, "column_proj")
    return [
        [[m[i][j] * by_row[i][c] * by_column[j][c] for j in range(width)] for i in range(height)]
        for c, m in enumerate(maps)
    ]


def channel_attention_gate(p: Parameters, features: Matrix) -> list[float]:
    """Woo et al., Eq. 2, of ``[channel][position]``."""
    by_mean = _excited(p, [sum(channel) / len(channel) for channel in features])
    by_max = _excited(p, [max(channel) for channel in features])
    return [sigmoid(a + b) for a, b in zip(by_mean, by_max, strict=True)]


def gated_channels(gate: Vector, features: Matrix) -> list[list[float]]:
    """Each channel times its gate."""
    return [[g * x for x in channel] for g, channel in zip(gate, features, strict=True)]


# --- positions ------------------------------------------------------------------------------------


def convolve(kernel: Any, maps: Maps, bias: Vector | None = None) -> Maps:
    """Same-size convolution by ``[out][in][row][column]``, zeros around the maps."""
    height, width = len(maps[0]), len(maps[0][0])

    def at(channel: int, i: int, j: int) -> float:
        return maps[channel][i][j] if 0 <= i < height and 0 <= j < width else 0.0

    def out(weights: Any, shift: float, i: int, j: int) -> float:
        total = shift
        for c, grid in enumerate(weights):
            for di, row in enumerate(grid):
                for dj, w in enumerate(row):
                    total += w * at(c, i + di - len(grid) // 2, j + dj - len(row) // 2)
        return total

    shifts = bias if bias is not None else [0.0] * len(kernel)
    return [
        [[out(weights, b, i, j) for j in range(width)] for i in range(height)]
        for weights, b in zip(kernel, shifts, strict=True)
    ]


def spatial_attention_gate(p: Parameters, maps: Maps) -> Grid:
    """Woo et al., Eq. 3."""
    columns = [[[m[i][j] for m in maps] for j in range(len(row))] for i, row in enumerate(maps[0])]
    described = [
        [[sum(x) / len(x) for x in row] for row in columns],
        [[max(x) for x in row] for row in columns],
    ]
    (scores,) = convolve(p["convolution.weight"], described)
    if "norm.weight" in p:
        (m,), (v,), (s,), (b,) = (
            p[f"norm.{what}"] for what in ("running_mean", "running_var", "weight", "bias")
        )
        scores = [[s * (x - m) / math.sqrt(v + 1e-5) + b for x in row] for row in scores]
    return [[sigmoid(x) for x in row] for row in scores]


def gated_positions(gate: Grid, maps: Maps) -> Maps:
    """Each position times its gate."""
    return [
        [[g * x for g, x in zip(*rows, strict=True)] for rows in zip(gate, grid, strict=True)]
        for grid in maps
    ]


# --- pairs of positions ---------------------------------------------------------------------------


def pooled(vectors: Matrix, windows: Sequence[Sequence[int]]) -> list[list[float]]:
    """The maximum of each feature over the positions of each window."""
    return [
        [max(vectors[i][d] for i in window) for d in range(len(vectors[0]))] for window in windows
    ]


def non_local(
    p: Parameters, pairwise: str, positions: Matrix, windows: Sequence[Sequence[int]]
) -> list[list[float]]:
    """Wang et al., Eq. 1 to 6, of ``[position][channel]``.

    ``windows`` are the positions that are looked at, max-pooled together where there are several.
    """

    def embedded(name: str) -> list[list[float]]:
        weight, bias = p[f"{name}.weight"], p[f"{name}.bias"]
        return [linear(weight, x, bias) for x in positions]

    plain = pairwise == "gaussian"
    queries = positions if plain else embedded("query_proj")
    keys = pooled(positions if plain else embedded("key_proj"), windows)
    values = pooled(embedded("value_proj"), windows)
    out = []
    for x, q in zip(positions, queries, strict=True):
        weights = _pair_weights(p, pairwise, q, keys)
        y = [
            sum(w * v[e] for w, v in zip(weights, values, strict=True))
            for e in range(len(values[0]))
        ]
        found = linear(p["output_proj.weight"], y, p["output_proj.bias"])
        out.append([a + b for a, b in zip(x, found, strict=True)])
    return out


def _pair_weights(p: Parameters, pairwise: str, q: Vector, keys: Matrix) -> list[float]:
    if pairwise == "concat":
        w_f = [*p["pair_weight"][0], *p["pair_weight"][1]]
        return [max(0.0, linear([w_f], [*q, *k])[0]) / len(keys) for k in keys]
    dots = [sum(a * b for a, b in zip(q, k, strict=True)) for k in keys]
    return [d / len(keys) for d in dots] if pairwise == "dot" else softmax(dots)


# --- regions and patches --------------------------------------------------------------------------


def gated_tanh(
    weight: Matrix, gate_weight: Matrix, bias: Vector, gate_bias: Vector, x: Vector
) -> list[float]:
    """Anderson et al.: tanh(W x + b) * sigmoid(W' x + b')."""
    hidden, gates = linear(weight, x, bias), linear(gate_weight, x, gate_bias)
    return [math.tanh(h) * sigmoid(g) for h, g in zip(hidden, gates, strict=True)]


def top_down(
    p: Parameters, regions: Matrix, allowed: Sequence[bool], question: Vector
) -> tuple[list[float], list[float]]:
    """Context and weights of one question; regions that are not allowed get 0."""
    width = len(p["v"])
    joined = [[*k, *q] for k, q in zip(p["key_proj.weight"], p["query_proj.weight"], strict=True)]
    bias = p["query_proj.bias"]
    scores = []
    for region in regions:
        hidden = gated_tanh(
            joined[:width], joined[width:], bias[:width], bias[width:], [*region, *question]
        )
        scores.append(sum(v * h for v, h in zip(p["v"], hidden, strict=True)))
    kept = (
        softmax([s for s, may in zip(scores, allowed, strict=True) if may]) if any(allowed) else []
    )
    following = iter(kept)
    weights = [next(following) if may else 0.0 for may in allowed]
    context = [
        sum(w * region[e] for w, region in zip(weights, regions, strict=True))
        for e in range(len(regions[0]))
    ]
    return context, weights


def patches(image: Maps, height: int, width: int) -> list[list[float]]:
    """Every patch as one vector: channel by channel, row by row."""
    return [
        [grid[top + i][left + j] for grid in image for i in range(height) for j in range(width)]
        for top in range(0, len(image[0]), height)
        for left in range(0, len(image[0][0]), width)
    ]
