"""Recurrent cells as loops over lists: one step is one function of vectors."""

import math
from collections.abc import Sequence
from typing import NamedTuple

Vector = Sequence[float]
Matrix = Sequence[Sequence[float]]


def times(weight: Matrix, x: Vector) -> list[float]:
    """Matrix times vector."""
    return [math.fsum(w * e for w, e in zip(row, x, strict=True)) for row in weight]


def plus(*vectors: Vector) -> list[float]:
    """Sum of vectors."""
    return [math.fsum(entries) for entries in zip(*vectors, strict=True)]


def mul(a: Vector, b: Vector) -> list[float]:
    """Product entry by entry."""
    return [x * y for x, y in zip(a, b, strict=True)]


def tanh(x: Vector) -> list[float]:
    return [math.tanh(e) for e in x]


def sigmoid(x: Vector) -> list[float]:
    return [1 / (1 + math.exp(-e)) for e in x]


def rest(x: Vector) -> list[float]:
    """1 - x."""
    return [1 - e for e in x]


def part(rows: Sequence, index: int, parts: int) -> Sequence:
    """One of ``parts`` equal parts of a list."""
    size = len(rows) // parts
    return rows[index * size : (index + 1) * size]


def rnn(w: Matrix, u: Matrix, b: Vector, x: Vector, h: Vector) -> list[float]:
    return tanh(plus(b, times(w, h), times(u, x)))


def lstm(
    w_x: Matrix, w_h: Matrix, b: Vector, x: Vector, h: Vector, c: Vector
) -> tuple[list[float], list[float]]:
    """h and c; rows of the weights are those of i, f, g, o."""
    i, f, g, o = (
        plus(times(part(w_x, n, 4), x), times(part(w_h, n, 4), h), part(b, n, 4)) for n in range(4)
    )
    memory = plus(mul(sigmoid(f), c), mul(sigmoid(i), tanh(g)))
    return mul(sigmoid(o), tanh(memory)), memory


def gru_before(w_x: Matrix, w_h: Matrix, b: Vector, x: Vector, h: Vector) -> list[float]:
    """Reset before the matrix; rows are those of r, z and the candidate."""
    r, z = (
        sigmoid(plus(times(part(w_x, n, 3), x), times(part(w_h, n, 3), h), part(b, n, 3)))
        for n in range(2)
    )
    new = tanh(plus(times(part(w_x, 2, 3), x), times(part(w_h, 2, 3), mul(r, h)), part(b, 2, 3)))
    return plus(mul(z, h), mul(rest(z), new))


def gru_after(
    w_x: Matrix, w_h: Matrix, b_x: Vector, b_h: Vector, x: Vector, h: Vector
) -> list[float]:
    """Reset after the matrix and its bias."""
    of_x = [plus(times(part(w_x, n, 3), x), part(b_x, n, 3)) for n in range(3)]
    of_h = [plus(times(part(w_h, n, 3), h), part(b_h, n, 3)) for n in range(3)]
    r, z = (sigmoid(plus(of_x[n], of_h[n])) for n in range(2))
    return plus(mul(z, h), mul(rest(z), tanh(plus(of_x[2], mul(r, of_h[2])))))


class Mutant(NamedTuple):
    """The letters of the three mutants; what a mutant does not have is None."""

    w_xz: Matrix
    b_z: Vector
    w_hr: Matrix
    b_r: Vector
    w_hh: Matrix
    b_h: Vector
    w_hz: Matrix | None = None
    w_xr: Matrix | None = None
    w_xh: Matrix | None = None


def mut1(p: Mutant, x: Vector, h: Vector) -> list[float]:
    z = sigmoid(plus(times(p.w_xz, x), p.b_z))
    r = sigmoid(plus(times(p.w_xr, x), times(p.w_hr, h), p.b_r))
    new = tanh(plus(times(p.w_hh, mul(r, h)), tanh(x), p.b_h))
    return plus(mul(new, z), mul(h, rest(z)))


def mut2(p: Mutant, x: Vector, h: Vector) -> list[float]:
    z = sigmoid(plus(times(p.w_xz, x), times(p.w_hz, h), p.b_z))
    r = sigmoid(plus(x, times(p.w_hr, h), p.b_r))
    new = tanh(plus(times(p.w_hh, mul(r, h)), times(p.w_xh, x), p.b_h))
    return plus(mul(new, z), mul(h, rest(z)))


def mut3(p: Mutant, x: Vector, h: Vector) -> list[float]:
    z = sigmoid(plus(times(p.w_xz, x), times(p.w_hz, tanh(h)), p.b_z))
    r = sigmoid(plus(times(p.w_xr, x), times(p.w_hr, h), p.b_r))
    new = tanh(plus(times(p.w_hh, mul(r, h)), times(p.w_xh, x), p.b_h))
    return plus(mul(new, z), mul(h, rest(z)))


class Scorer(NamedTuple):
    """v . tanh(W_key h_i + W_query q)."""

    w_query: Matrix
    w_key: Matrix
    v: Vector

    def weights(self, query: Vector, slots: Sequence[Vector]) -> list[float]:
        """Softmax over slots; no slots, no weights."""
        q = times(self.w_query, query)
        hidden = [tanh(plus(q, times(self.w_key, slot))) for slot in slots]
        scores = [math.fsum(mul(self.v, row)) for row in hidden]
        shares = [math.exp(score - max(scores)) for score in scores]
        return [share / math.fsum(shares) for share in shares]


def pooled(weights: Vector, slots: Sequence[Vector], width: int) -> list[float]:
    """Weighted sum; zeros of nothing."""
    total = [0.0] * width
    for weight, slot in zip(weights, slots, strict=True):
        total = plus(total, [weight * e for e in slot])
    return total


class Gates(NamedTuple):
    """Weights of the gates i, f, c-hat, o."""

    w_x: Matrix
    w_h: Matrix
    b: Vector

    def step(
        self, x: Vector, h: Vector, c: Vector, added: Vector
    ) -> tuple[list[float], list[float]]:
        """An LSTM step with something added to the memory."""
        i, f, g, o = (
            plus(times(part(self.w_x, n, 4), x), times(part(self.w_h, n, 4), h), part(self.b, n, 4))
            for n in range(4)
        )
        memory = plus(mul(sigmoid(f), c), mul(sigmoid(i), tanh(g)), added)
        return mul(sigmoid(o), tanh(memory)), memory


class Read(NamedTuple):
    """What a reader leaves: both tapes, and where it looked within and at the source."""

    hidden: list[list[float]]
    memory: list[list[float]]
    intra: list[list[float]]
    inter: list[list[float]]


def lstmn(gates: Gates, intra: Scorer, xs: Sequence[Vector], width: int) -> Read:
    """Read a sequence, looking back over both tapes."""
    read, summary = Read([], [], [], []), [0.0] * width
    for x in xs:
        summary = _advance(read, gates, intra, x, summary, [0.0] * width)
    return read


def shallow(
    gates: Gates, intra: Scorer, inter: Scorer, xs: Sequence[Vector], source: Matrix, width: int
) -> Read:
    """Read a sequence, each input followed by what the last state finds in the source."""
    read, summary = Read([], [], [], []), [0.0] * width
    for x in xs:
        last = read.hidden[-1] if read.hidden else [0.0] * width
        weights = inter.weights(last, source)
        read.inter.append(weights)
        fed = [*x, *pooled(weights, source, width)]
        summary = _advance(read, gates, intra, fed, summary, [0.0] * width)
    return read


class Source(NamedTuple):
    """The tapes of another sequence: gamma and alpha."""

    hidden: Matrix
    memory: Matrix


def deep(
    gates: Gates,
    intra: Scorer,
    inter: Scorer,
    w_r: Matrix,
    b_r: Vector,
    xs: Sequence[Vector],
    source: Source,
    width: int,
) -> Read:
    """Read a sequence whose memory takes up that of the source through a gate."""
    read, summary, gamma = Read([], [], [], []), [0.0] * width, [0.0] * width
    for x in xs:
        weights = inter.weights([*x, *gamma], source.hidden)
        read.inter.append(weights)
        gamma = pooled(weights, source.hidden, width)
        alpha = pooled(weights, source.memory, width)
        gate = sigmoid(plus(times(w_r, [*gamma, *x]), b_r))
        summary = _advance(read, gates, intra, x, summary, mul(gate, alpha))
    return read


def _advance(
    read: Read, gates: Gates, intra: Scorer, x: Vector, summary: Vector, added: Vector
) -> list[float]:
    """One step within the tapes of ``read``; gives the new summary."""
    weights = intra.weights([*x, *summary], read.hidden)
    h = pooled(weights, read.hidden, len(summary))
    c = pooled(weights, read.memory, len(summary))
    hidden, memory = gates.step(x, h, c, added)
    read.hidden.append(hidden)
    read.memory.append(memory)
    read.intra.append(weights)
    return h
