"""Captioners and answerers, step by step in plain Python: lists of numbers, no torch, no import of
ours. A linear map is a pair (rows of the matrix, biases)."""

import math


def linear(map_, x):
    """W x + b."""
    rows, bias = map_
    return [
        sum(w * v for w, v in zip(row, x, strict=True)) + b
        for row, b in zip(rows, bias, strict=True)
    ]


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def softmax(scores):
    top = max(scores)
    exps = [math.exp(score - top) for score in scores]
    return [e / sum(exps) for e in exps]


def mean(vectors):
    return [sum(column) / len(vectors) for column in zip(*vectors, strict=True)]


def weighted(weights, vectors):
    return [
        sum(w * v for w, v in zip(weights, column, strict=True))
        for column in zip(*vectors, strict=True)
    ]


def additive(v, state_map, key_map, state, keys):
    """softmax of v · tanh(W_s s + W_k k), key by key."""
    scores = []
    for key in keys:
        both = zip(linear(state_map, state), linear(key_map, key), strict=True)
        scores.append(sum(a * math.tanh(s + k) for a, (s, k) in zip(v, both, strict=True)))
    return softmax(scores)


def lstm(input_map, hidden_map, x, h, c):
    """One step; the rows stand in the order i, f, g, o."""
    n = len(h)
    sums = [a + b for a, b in zip(linear(input_map, x), linear(hidden_map, h), strict=True)]
    i, f, g, o = (sums[k * n : (k + 1) * n] for k in range(4))
    c = [sigmoid(f[k]) * c[k] + sigmoid(i[k]) * math.tanh(g[k]) for k in range(n)]
    return [sigmoid(o[k]) * math.tanh(c[k]) for k in range(n)], c


def attend_and_tell(p, annotations, tokens, *, gated=True, hard=False):
    """Logits and weights of all steps: Xu et al. 2015, soft, or hard at the likeliest place.

    ``p`` has ``embedding`` (rows, scaled already), ``first_hidden``, ``first_memory``, ``v``,
    ``query``, ``key``, ``gate``, ``input``, ``hidden``, ``from_hidden``, ``from_context``,
    ``output``.
    """
    start = mean(annotations)
    h = [math.tanh(x) for x in linear(p["first_hidden"], start)]
    c = [math.tanh(x) for x in linear(p["first_memory"], start)]
    logits, looks = [], []
    for token in tokens:
        y = p["embedding"][token]
        alpha = additive(p["v"], p["query"], p["key"], h, annotations)
        if hard:
            best = max(range(len(alpha)), key=alpha.__getitem__)
            z = list(annotations[best])
        else:
            z = weighted(alpha, annotations)
        if gated:
            beta = sigmoid(linear(p["gate"], h)[0])
            z = [beta * x for x in z]
        h, c = lstm(p["input"], p["hidden"], [*y, *z], h, c)
        deep = zip(y, linear(p["from_hidden"], h), linear(p["from_context"], z), strict=True)
        logits.append(linear(p["output"], [math.tanh(sum(parts)) for parts in deep]))
        looks.append(alpha)
    return logits, looks


def gated_tanh(map_, x):
    """tanh of the first half times sigmoid of the second."""
    sums = linear(map_, x)
    half = len(sums) // 2
    return [math.tanh(a) * sigmoid(b) for a, b in zip(sums[:half], sums[half:], strict=True)]


def gru(input_map, hidden_map, x, h):
    """One step that resets after its matrix; rows r, z, n."""
    n = len(h)
    a, b = linear(input_map, x), linear(hidden_map, h)
    r = [sigmoid(a[k] + b[k]) for k in range(n)]
    z = [sigmoid(a[n + k] + b[n + k]) for k in range(n)]
    new = [math.tanh(a[2 * n + k] + r[k] * b[2 * n + k]) for k in range(n)]
    return [z[k] * h[k] + (1 - z[k]) * new[k] for k in range(n)]


def question(p, tokens):
    """The last state of the GRU."""
    h = [0.0] * (len(p["gru_hidden"][0]) // 3)
    for token in tokens:
        h = gru(p["gru_input"], p["gru_hidden"], p["embedding"][token], h)
    return h


def bottom_up_top_down(p, regions, tokens):
    """Logits and weights: Anderson et al. 2018, section 3.3."""
    q = question(p, tokens)
    width = len(regions[0])
    normed = []
    for v in regions:
        length = math.sqrt(sum(x * x for x in v))
        normed.append([x / length * math.sqrt(width) for x in v])
    scores = []
    for v in normed:
        units = gated_tanh(p["attention"], [*v, *q])
        scores.append(sum(w * u for w, u in zip(p["w"], units, strict=True)))
    alpha = softmax(scores)
    seen = weighted(alpha, normed)
    joint = [
        a * b for a, b in zip(gated_tanh(p["f_q"], q), gated_tanh(p["f_v"], seen), strict=True)
    ]
    return linear(p["output"], gated_tanh(p["f_o"], joint)), alpha


def stacked_attention(p, regions, tokens):
    """Logits and the weights of every look: Yang et al. 2016, Eq. 15 to 18."""
    u = question(p, tokens)
    looks = []
    for hop in p["hops"]:
        weights = additive(hop["v"], hop["query"], hop["key"], u, regions)
        u = [a + b for a, b in zip(u, weighted(weights, regions), strict=True)]
        looks.append(weights)
    return linear(p["output"], u), looks


def region(grid, box, points):
    """The mean of points² samples of a grid, rows of columns of channels, in a box of shares."""
    height, width = len(grid), len(grid[0])
    channels = len(grid[0][0])
    total = [0.0] * channels
    left, top, right, bottom = box
    for i in range(points):
        for j in range(points):
            x = (left + (j + 0.5) / points * (right - left)) * width - 0.5
            y = (top + (i + 0.5) / points * (bottom - top)) * height - 0.5
            x, y = min(max(x, 0), width - 1), min(max(y, 0), height - 1)
            x0, y0 = min(int(x), width - 2), min(int(y), height - 2)
            for c in range(channels):
                upper = grid[y0][x0][c] * (x0 + 1 - x) + grid[y0][x0 + 1][c] * (x - x0)
                lower = grid[y0 + 1][x0][c] * (x0 + 1 - x) + grid[y0 + 1][x0 + 1][c] * (x - x0)
                total[c] += (upper * (y0 + 1 - y) + lower * (y - y0)) / points**2
    return total


def doubly_stochastic(weights, lengths, total):
    """The sum over captions and places of (total - what the place got)²."""
    found = 0.0
    for caption, length in zip(weights, lengths, strict=True):
        if length:
            for place in range(len(caption[0])):
                got = sum(caption[step][place] for step in range(length))
                found += (total - got) ** 2
    return found
