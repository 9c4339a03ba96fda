"""Explanations of attention as plain loops, from the papers."""

import math

Map = list[list[float]]


def matmul(a: Map, b: Map) -> Map:
    return [[sum(x * b[k][j] for k, x in enumerate(row)) for j in range(len(b[0]))] for row in a]


def rollout(maps: list[Map]) -> Map:
    """Half of each row stays; rows sum to one; layers are multiplied, the last from the left."""
    count = len(maps[0])
    found = [[float(i == j) for j in range(count)] for i in range(count)]
    for one in maps:
        mixed = [
            [(one[i][j] / sum(one[i]) + (i == j)) / 2 for j in range(count)] for i in range(count)
        ]
        found = matmul(mixed, found)
    return found


def relevance(maps: list[Map]) -> Map:
    """R ← R + Ā R, from the first layer to the last."""
    count = len(maps[0])
    found = [[float(i == j) for j in range(count)] for i in range(count)]
    for one in maps:
        more = matmul(one, found)
        found = [[found[i][j] + more[i][j] for j in range(count)] for i in range(count)]
    return found


def transformed(weights, value, output, gain, residual):
    """T[i][j][o] = Σ_h α^h_ij W_O^h v_j^h + δ_ij x_i, centred and scaled: the whole tensor."""
    heads, queries, keys = len(weights), len(weights[0]), len(weights[0][0])
    width = len(value[0][0])
    out = len(output)
    table = []
    for i in range(queries):
        row = []
        for j in range(keys):
            vector = [0.0] * out
            for h in range(heads):
                for o in range(out):
                    told = sum(output[o][h * width + e] * value[h][j][e] for e in range(width))
                    vector[o] += weights[h][i][j] * told
            if residual is not None and i == j:
                vector = [x + y for x, y in zip(vector, residual[j], strict=True)]
            if gain is not None:
                mean = sum(vector) / out
                vector = [(x - mean) * g for x, g in zip(vector, gain, strict=True)]
            row.append(vector)
        table.append(row)
    return table


def norms(table) -> Map:
    return [[math.sqrt(sum(x * x for x in vector)) for vector in row] for row in table]


def alti(table) -> Map:
    found = []
    for row in table:
        whole = [sum(vector[o] for vector in row) for o in range(len(row[0]))]
        size = sum(map(abs, whole))
        nearer = [
            max(0.0, size - sum(abs(y - x) for y, x in zip(whole, vector, strict=True)))
            for vector in row
        ]
        found.append([x / sum(nearer) for x in nearer])
    return found


def kendall(one: list[float], other: list[float]) -> float:
    """τ_b, pair by pair."""
    concordant = discordant = first_ties = second_ties = pairs = 0
    for i in range(len(one)):
        for j in range(i):
            pairs += 1
            a, b = one[i] - one[j], other[i] - other[j]
            first_ties += a == 0
            second_ties += b == 0
            concordant += a * b > 0
            discordant += a * b < 0
    return (concordant - discordant) / math.sqrt((pairs - first_ties) * (pairs - second_ties))


def warp_cost(cost: Map) -> float:
    """The cost of the cheapest path, by trying every way from every pair."""
    rows, columns = len(cost), len(cost[0])

    def rest(i: int, j: int) -> float:
        if (i, j) == (rows - 1, columns - 1):
            return cost[i][j]
        ways = [(i + 1, j), (i, j + 1), (i + 1, j + 1)]
        return cost[i][j] + min(rest(*way) for way in ways if way[0] < rows and way[1] < columns)

    return rest(0, 0)
