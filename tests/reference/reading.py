"""Readers once more: memory networks, attention flow, pointers and spans, in plain loops."""

import math

Vector = list[float]


def softmax(scores: Vector) -> Vector:
    largest = max(scores)
    shares = [math.exp(score - largest) for score in scores]
    return [share / sum(shares) for share in shares]


def dot(a: Vector, b: Vector) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def position_weight(j: int, words: int, d: int, width: int) -> float:
    """l of word j of a sentence and feature d, both counted from 1."""
    return (1 - j / words) - d / width * (1 - 2 * j / words)


def sentence(words: list[int], table: list[Vector], *, positions: bool) -> Vector:
    """The sum of the words' vectors, weighed by their positions or not."""
    width = len(table[0])
    return [
        sum(
            table[word][d] * (position_weight(j, len(words), d + 1, width) if positions else 1.0)
            for j, word in enumerate(words, start=1)
        )
        for d in range(width)
    ]


def memory_network(
    story: list[list[int]],
    question: list[int],
    pairs: list[tuple[list[Vector], list[Vector]]],
    own: list[Vector],
    ages: list[tuple[list[Vector], list[Vector]]],
    *,
    positions: bool,
    linear: list[Vector] | None = None,
) -> tuple[Vector, list[Vector]]:
    """What is known after all hops, and where each looked.

    ``pairs`` has the matrices A and C of every hop, ``own`` is B, ``ages`` has T_A and T_C; the
    last sentence is of age 1. ``linear`` is H, the identity if not given.
    """
    known = sentence(question, own, positions=positions)
    looks = []
    for (a, c), (ta, tc) in zip(pairs, ages, strict=True):
        keys, values = [], []
        for number, words in enumerate(story):
            age = len(story) - number
            for table, told, into in ((a, ta, keys), (c, tc, values)):
                summed = sentence(words, table, positions=positions)
                into.append([x + y for x, y in zip(summed, told[age], strict=True)])
        weights = softmax([dot(known, key) for key in keys])
        looks.append(weights)
        found = [
            sum(w * value[d] for w, value in zip(weights, values, strict=True))
            for d in range(len(known))
        ]
        moved = known if linear is None else [dot(row, known) for row in linear]
        known = [x + y for x, y in zip(moved, found, strict=True)]
    return known, looks


def flow(
    passage: list[Vector], question: list[Vector], w: Vector
) -> tuple[list[Vector], list[Vector], Vector]:
    """g of every word of the passage, a (N × J) and b (N): attention flow; w is of 3 D numbers."""
    width = len(passage[0])
    scores = [
        [dot(w, [*h, *u, *(x * y for x, y in zip(h, u, strict=True))]) for u in question]
        for h in passage
    ]
    a = [softmax(row) for row in scores]
    b = softmax([max(row) for row in scores])
    whole = [sum(b[t] * passage[t][d] for t in range(len(passage))) for d in range(width)]
    found = []
    for t, h in enumerate(passage):
        seen = [sum(a[t][j] * question[j][d] for j in range(len(question))) for d in range(width)]
        product = [x * y for x, y in zip(h, seen, strict=True)]
        found.append([*h, *seen, *product, *(x * y for x, y in zip(h, whole, strict=True))])
    return found, a, b


def best_span(begin: Vector, end: Vector, longest: int) -> tuple[int, int, float]:
    """Of all spans that are short enough."""
    spans = [
        (first, last, begin[first] + end[last])
        for first in range(len(begin))
        for last in range(first, min(len(begin), first + longest))
    ]
    return max(spans, key=lambda one: one[2])


def guided_hops(looks: list[Vector], supports: list[int]) -> float:
    """The surprise of the sentences to look at, hop by hop, of one question."""
    hops = len(looks)
    total = 0.0
    for hop, weights in enumerate(looks):
        wanted = supports[hop:] if hop == hops - 1 else supports[hop : hop + 1]
        mass = sum(weights[one] for one in set(wanted or supports))
        total -= math.log(max(mass, 1e-6))
    return total / hops
