"""One step of a decoder with attention, as loops over lists."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from . import cells, decoder_attention, scores

Vector = Sequence[float]
Matrix = Sequence[Sequence[float]]
Weights = Mapping[str, list]
"""Parameters by name: matrices and vectors."""


class Step(NamedTuple):
    """What one step gives."""

    logits: list[float]
    hidden: list[float]
    weights: list[float]


def linear(p: Weights, name: str, x: Vector) -> list[float]:
    """Return W x + b."""
    return cells.plus(cells.times(p[f"{name}.weight"], x), p[f"{name}.bias"])


def embedded(p: Weights, token: int) -> list[float]:
    """The vector of a token, times the root of its width."""
    row = p["target_embedding.weight"][token]
    return [math.sqrt(len(row)) * x for x in row]


def bahdanau(p: Weights, token: int, hidden: Vector, keys: Matrix) -> Step:
    """Context from the state before, a GRU of [embedding; context], maxout, logits."""
    context, weights = decoder_attention.bahdanau(
        p["attention.v"],
        p["attention.query_proj.weight"],
        p["attention.key_proj.weight"],
        hidden,
        keys,
        [True] * len(keys),
        keys,
    )
    embedding = embedded(p, token)
    hidden = cells.gru_before(
        p["cell.input_proj.weight"],
        p["cell.hidden_proj.weight"],
        p["cell.input_proj.bias"],
        [*embedding, *context],
        hidden,
    )
    pairs = linear(p, "readout.proj", [*hidden, *context, *embedding])
    features = [max(pairs[i], pairs[i + 1]) for i in range(0, len(pairs), 2)]
    return Step(linear(p, "output.proj", features), hidden, weights)


def luong(
    p: Weights, token: int, fed: Vector, hidden: Vector, memory: Vector, keys: Matrix
) -> Step:
    """An LSTM of [embedding; h~], scores h W k of its new state, h~ = tanh(W_c [c; h]), logits."""
    hidden, _ = cells.lstm(
        p["decoder.cell.cells.0.input_proj.weight"],
        p["decoder.cell.cells.0.hidden_proj.weight"],
        p["decoder.cell.cells.0.input_proj.bias"],
        [*embedded(p, token), *fed],
        hidden,
        memory,
    )
    projected = [cells.times(p["attention.key_proj.weight"], key) for key in keys]
    row = [scores.dot(hidden, key) for key in projected]
    context, weights = decoder_attention.soft(row, [True] * len(keys), keys)
    after = decoder_attention.attentional_state(p["attentional.proj.weight"], context, hidden)
    return Step(linear(p, "output.proj", after), hidden, weights)
