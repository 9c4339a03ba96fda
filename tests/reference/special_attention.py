"""Attention of special kinds as loops over lists, each by the equation of its paper."""

import math
from collections.abc import Callable, Sequence

Vector = Sequence[float]
Matrix = Sequence[Sequence[float]]
Array = Sequence[Sequence[Sequence[float]]]


def linear(weight: Matrix, x: Vector, bias: Vector | None = None) -> list[float]:
    """Return W x + b."""
    found = [math.fsum(w * a for w, a in zip(row, x, strict=True)) for row in weight]
    return found if bias is None else [a + b for a, b in zip(found, bias, strict=True)]


def dot(a: Vector, b: Vector) -> float:
    """Return a . b."""
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


def sigmoid(x: float) -> float:
    """Return 1 / (1 + e^-x)."""
    return 1.0 / (1.0 + math.exp(-x))


def layer_norm(x: Vector, weight: Vector, bias: Vector, eps: float = 1e-5) -> list[float]:
    """Centred, divided by the root of variance plus eps, then scaled and moved."""
    mean = math.fsum(x) / len(x)
    variance = math.fsum((a - mean) ** 2 for a in x) / len(x)
    return [
        (a - mean) / math.sqrt(variance + eps) * w + b
        for a, w, b in zip(x, weight, bias, strict=True)
    ]


def softmax(scores: Vector, allowed: Sequence[bool]) -> list[float]:
    """Over the allowed entries; all zero if there is none."""
    if not any(allowed):
        return [0.0 for _ in scores]
    top = max(s for s, may in zip(scores, allowed, strict=True) if may)
    powers = [math.exp(s - top) if may else 0.0 for s, may in zip(scores, allowed, strict=True)]
    return [p / math.fsum(powers) for p in powers]


def pool(weights: Vector, values: Matrix, width: int) -> list[float]:
    """Sum of the values, each times its weight."""
    return [math.fsum(w * v[e] for w, v in zip(weights, values, strict=True)) for e in range(width)]


def head(x: Vector, h: int, width: int) -> Vector:
    """The part of a vector that belongs to head h."""
    return x[h * width : (h + 1) * width]


# --- pooling and regression -----------------------------------------------------------------------


def pooled(
    queries: Matrix,
    keys: Matrix,
    allowed: Sequence[bool],
    score: Callable[[Vector, Vector], float],
) -> list[list[float]]:
    """Attention pooling: one vector per query, the keys being the values."""
    return [
        pool(softmax([score(q, k) for k in keys], allowed), keys, len(keys[0])) for q in queries
    ]


KERNELS: dict[str, Callable[[float], float]] = {
    "gaussian": lambda u: math.exp(-0.5 * u * u),
    "boxcar": lambda u: 1.0 if u <= 1 else 0.0,
    "epanechnikov": lambda u: max(0.0, 1.0 - u),
}


def regression(
    kernel: str, width: float, x: Vector, points: Matrix, values: Matrix
) -> list[float] | None:
    """Nadaraya-Watson at one place; None where no point has any weight."""
    weights = [KERNELS[kernel](math.dist(x, p) / width) for p in points]
    total = math.fsum(weights)
    if total == 0:
        return None
    return pool([w / total for w in weights], values, len(values[0]))


def nearest(x: Vector, points: Matrix, values: Matrix) -> Vector:
    """The value of the nearest point, the first of equally near ones."""
    return values[min(range(len(points)), key=lambda i: math.dist(x, points[i]))]


def left_out_error(kernel: str, width: float, points: Matrix, values: Matrix) -> float:
    """Squared error of every point predicted from all others."""
    error = 0.0
    for i, (x, y) in enumerate(zip(points, values, strict=True)):
        others = [*points[:i], *points[i + 1 :]], [*values[:i], *values[i + 1 :]]
        found = regression(kernel, width, x, *others)
        found = nearest(x, *others) if found is None else found
        error += math.fsum((a - b) ** 2 for a, b in zip(y, found, strict=True))
    return error


def determination(wanted: Vector, found: Vector) -> float:
    """R squared: 1 minus the squared error over the squared deviation from the mean."""
    mean = math.fsum(wanted) / len(wanted)
    missed = math.fsum((a - b) ** 2 for a, b in zip(wanted, found, strict=True))
    return 1 - missed / math.fsum((a - mean) ** 2 for a in wanted)


# --- agents ---------------------------------------------------------------------------------------


def agent_aware(
    queries: Matrix,
    keys: Matrix,
    query_agents: Sequence[int],
    key_agents: Sequence[int],
    allowed: Sequence[bool],
    parameters: dict[str, list],
    num_heads: int,
) -> list[list[float]]:
    """AgentFormer: each pair is scored by the projections of "same" or of "other" agents."""

    def project(name: str, x: Vector) -> list[float]:
        return linear(parameters[f"{name}.weight"], x, parameters[f"{name}.bias"])

    width = len(parameters["value_proj.weight"]) // num_heads
    outputs = []
    for q, own in zip(queries, query_agents, strict=True):
        joined: list[float] = []
        for h in range(num_heads):
            scores = []
            for k, its in zip(keys, key_agents, strict=True):
                kind = "" if own == its else "other_"
                left = head(project(f"{kind}query_proj", q), h, width)
                right = head(project(f"{kind}key_proj", k), h, width)
                scores.append(dot(left, right) / math.sqrt(width))
            values = [head(project("value_proj", k), h, width) for k in keys]
            joined += pool(softmax(scores, allowed), values, width)
        outputs.append(project("output_proj", joined))
    return outputs


# --- pairs and triangles --------------------------------------------------------------------------


def pair_biased(
    rows: Array,
    pair: Array,
    allowed: Sequence[Sequence[bool]],
    parameters: dict[str, list],
    num_heads: int,
) -> list[list[list[float]]]:
    """AlphaFold, algorithm 7: rows attend along themselves with a bias from pairs of columns."""
    p = parameters
    width = len(p["value_proj.weight"]) // num_heads
    bias = [
        [
            linear(p["bias_proj.weight"], layer_norm(z, p["pair_norm.weight"], p["pair_norm.bias"]))
            for z in line
        ]
        for line in pair
    ]
    outputs = []
    for row, may in zip(rows, allowed, strict=True):
        m = [layer_norm(x, p["norm.weight"], p["norm.bias"]) for x in row]
        keys = [linear(p["key_proj.weight"], x) for x in m]
        values = [linear(p["value_proj.weight"], x) for x in m]
        outputs.append([])
        for i, x in enumerate(m):
            query = linear(p["query_proj.weight"], x)
            joined: list[float] = []
            for h in range(num_heads):
                scores = [
                    dot(head(query, h, width), head(k, h, width)) / math.sqrt(width) + bias[i][j][h]
                    for j, k in enumerate(keys)
                ]
                joined += pool(softmax(scores, may), [head(v, h, width) for v in values], width)
            outputs[-1].append(_gated(p, x, joined))
    return outputs


def triangle(
    pair: Array,
    allowed: Sequence[Sequence[bool]],
    parameters: dict[str, list],
    num_heads: int,
    mode: str,
) -> list[list[list[float]]]:
    """AlphaFold, algorithms 13 and 14: edge ij looks at ik with bias jk, or at kj with bias ki."""
    p, n = parameters, len(pair)
    width = len(p["value_proj.weight"]) // num_heads
    z = [[layer_norm(x, p["norm.weight"], p["norm.bias"]) for x in line] for line in pair]

    def projected(name: str, i: int, j: int) -> list[float]:
        return linear(p[f"{name}.weight"], z[i][j])

    outputs = []
    for i in range(n):
        outputs.append([])
        for j in range(n):
            starting = mode == "starting"
            seen = [(i, k) if starting else (k, j) for k in range(n)]
            third = [(j, k) if starting else (k, i) for k in range(n)]
            query = projected("query_proj", i, j)
            joined: list[float] = []
            for h in range(num_heads):
                scores = [
                    dot(head(query, h, width), head(projected("key_proj", *edge), h, width))
                    / math.sqrt(width)
                    + projected("bias_proj", *other)[h]
                    for edge, other in zip(seen, third, strict=True)
                ]
                weights = softmax(scores, [allowed[a][b] for a, b in seen])
                values = [head(projected("value_proj", *edge), h, width) for edge in seen]
                joined += pool(weights, values, width)
            outputs[-1].append(_gated(p, z[i][j], joined))
    return outputs


def _gated(p: dict[str, list], x: Vector, joined: Vector) -> list[float]:
    gate = [sigmoid(g) for g in linear(p["gate_proj.weight"], x, p["gate_proj.bias"])]
    opened = [g * o for g, o in zip(gate, joined, strict=True)]
    return linear(p["output_proj.weight"], opened, p["output_proj.bias"])


# --- time mixing ----------------------------------------------------------------------------------


def fading_weights(keys: Vector, decay: float, bonus: float) -> list[list[float]]:
    """RWKV-4, one channel: the weight of each position i at each position t, as it is written."""
    table = []
    for t, own in enumerate(keys):
        exponents = [-(t - 1 - i) * decay + keys[i] for i in range(t)] + [bonus + own]
        row = softmax(exponents, [True] * (t + 1))
        table.append(row + [0.0] * (len(keys) - t - 1))
    return table


def fading_mean(keys: Vector, values: Vector, decay: float, bonus: float) -> list[float]:
    """RWKV-4, one channel: wkv at each position."""
    return [dot(row, values) for row in fading_weights(keys, decay, bonus)]


def time_mixing(x: Matrix, parameters: dict[str, list]) -> list[list[float]]:
    """RWKV-4: token shift, receptance, wkv and output."""
    p = parameters
    before = [[0.0] * len(x[0]), *x[:-1]]

    def mixed(name: str) -> list[list[float]]:
        share = p[f"{name}_mix"]
        return [
            linear(
                p[f"{name}_proj.weight"],
                [m * a + (1 - m) * b for m, a, b in zip(share, now, last, strict=True)],
            )
            for now, last in zip(x, before, strict=True)
        ]

    receptance, keys, values = mixed("receptance"), mixed("key"), mixed("value")
    channels = [
        fading_mean([k[a] for k in keys], [v[a] for v in values], math.exp(w), u)
        for a, (w, u) in enumerate(zip(p["log_decay"], p["bonus"], strict=True))
    ]
    return [
        linear(
            p["output_proj.weight"],
            [sigmoid(r) * channel[t] for r, channel in zip(receptance[t], channels, strict=True)],
        )
        for t in range(len(x))
    ]
