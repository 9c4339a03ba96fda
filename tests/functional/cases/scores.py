"""Every score beside the loop that defines it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import torch
from torch import Tensor

from reference import scores as ref_scores
from regard import masks, scores

from .sizes import (
    BATCH,
    HEADS,
    HIDDEN_DIM,
    KEYS,
    OTHER_DIM,
    QUERIES,
    QUERY_DIM,
    REACH,
    Nested,
    Parameters,
    numbers,
)


@dataclass(frozen=True, eq=False)
class ScoreCase:
    """A score, its parameters, and the loop that defines it.

    ``table`` gives the scores of one batch entry and head: (parameters, b, h, query, key).
    """

    name: str
    make: Callable[..., scores.Score]
    table: Callable[[Parameters, int, int, Nested, Nested], list[list[float]]]
    parameters: Parameters = field(default_factory=dict)
    key_dim: int = QUERY_DIM
    positive: bool = False

    def __str__(self) -> str:
        return self.name

    def tensors(self, dtype: torch.dtype) -> dict[str, Tensor]:
        """The parameters as leaves with gradients."""
        return {
            name: torch.tensor(value, dtype=dtype, requires_grad=True)
            for name, value in self.parameters.items()
        }


def _pairs(pair: Callable[..., float]) -> Callable[..., list[list[float]]]:
    return lambda p, b, h, query, key: ref_scores.table(partial(pair, p), query, key)


def _positions(pair: Callable[..., float]) -> Callable[..., list[list[float]]]:
    def table(p: Parameters, b: int, h: int, query: Nested, key: Nested) -> list[list[float]]:
        return ref_scores.position_table(partial(pair, p, b, h), len(query), len(key))

    return table


def _placed_pairs(pair: Callable[..., float]) -> Callable[..., list[list[float]]]:
    def table(p: Parameters, b: int, h: int, query: Nested, key: Nested) -> list[list[float]]:
        return [[pair(p, q, i, j) for j in range(len(key))] for i, q in enumerate(query)]

    return table


def _sum(*tables: Callable[..., list[list[float]]]) -> Callable[..., list[list[float]]]:
    return lambda *case: ref_scores.added(*(table(*case) for table in tables))


_scaled_dot = _pairs(lambda p, q, k: ref_scores.scaled_dot(q, k))
_general = _pairs(lambda p, q, k: ref_scores.general(p["weight"], q, k))
_additive = _pairs(
    lambda p, q, k: ref_scores.additive(p["v"], p["query_weight"], p["key_weight"], q, k)
)
_alibi = _positions(lambda p, b, h, i, j: ref_scores.alibi(ref_scores.alibi_slopes(HEADS)[h], i, j))
_relative = _positions(lambda p, b, h, i, j: ref_scores.relative(p["table"], i, j))
_relative_by_head = _positions(lambda p, b, h, i, j: ref_scores.relative(p["table"][h], i, j))
_relative_keys = _placed_pairs(
    lambda p, q, i, j: ref_scores.relative_keys(p["table"], q, i, j) / len(q) ** 0.5
)
_around = _positions(
    lambda p, b, h, i, j: ref_scores.gaussian_around(p["centres"][b][h][i], p["sigma"], j)
)

_bias = _positions(lambda p, b, h, i, j: p["bias"][h][i][j])
_key_bias = _positions(lambda p, b, h, i, j: p["key_bias"][h][0][j])


def _where(p: Parameters, b: int, h: int, query: Nested, key: Nested) -> list[list[float]]:
    half = QUERY_DIM // 2
    return [
        [
            ref_scores.scaled_dot(q[:half], k[:half])
            if (i - j) % 3 == 0
            else ref_scores.general(p["weight"], q[half:], k[half:])
            for j, k in enumerate(key)
        ]
        for i, q in enumerate(query)
    ]


def _times_head(table: Callable[..., list[list[float]]]) -> Callable[..., list[list[float]]]:
    """The table, times the factor of its head."""

    def times(p: Parameters, b: int, h: int, query: Nested, key: Nested) -> list[list[float]]:
        rows = table(p, b, h, query, key)
        return [[p["factor"][h][0][0] * score for score in row] for row in rows]

    return times


def _weighted_gaps(weight: Tensor, query: Tensor, key: Tensor) -> Tensor:
    """A function as a user writes it, with a parameter that only it knows of."""
    return (query.unsqueeze(-2) - key.unsqueeze(-3)).abs() @ weight.to(query)


_ADDITIVE = {
    "v": numbers("v", HIDDEN_DIM),
    "query_weight": numbers("query_weight", HIDDEN_DIM, QUERY_DIM, scale=0.7),
    "key_weight": numbers("key_weight", HIDDEN_DIM, OTHER_DIM, scale=0.5),
}
_CENTRES = [
    [[(i + 1.3 * h + 0.7 * b) % (KEYS - 1) for i in range(QUERIES)] for h in range(HEADS)]
    for b in range(BATCH)
]

SCORES = [
    ScoreCase("dot", scores.Dot, _pairs(lambda p, q, k: ref_scores.dot(q, k))),
    ScoreCase("scaled_dot", scores.ScaledDot, _scaled_dot),
    ScoreCase(
        "scaled_dot_0.3",
        lambda: scores.ScaledDot(scale=0.3),
        _pairs(lambda p, q, k: 0.3 * ref_scores.dot(q, k)),
    ),
    ScoreCase(
        "general",
        scores.General,
        _general,
        {"weight": numbers("general", QUERY_DIM, OTHER_DIM, scale=0.4)},
        key_dim=OTHER_DIM,
    ),
    ScoreCase("additive", scores.Additive, _additive, _ADDITIVE, key_dim=OTHER_DIM),
    ScoreCase(
        "additive_projected",
        scores.Additive,
        _pairs(lambda p, q, k: ref_scores.additive(p["v"], None, None, q, k)),
        {"v": numbers("v of projected", QUERY_DIM)},
    ),
    ScoreCase(
        "concat",
        scores.Concat,
        _pairs(lambda p, q, k: ref_scores.concat(p["v"], p["weight"], q, k)),
        {
            "v": numbers("v of concat", HIDDEN_DIM),
            "weight": numbers("concat", HIDDEN_DIM, QUERY_DIM + OTHER_DIM, scale=0.5),
        },
        key_dim=OTHER_DIM,
    ),
    ScoreCase(
        "gated_additive",
        scores.GatedAdditive,
        _pairs(lambda p, q, k: ref_scores.gated_additive(p["v"], q, k)),
        {"v": numbers("v of gated", QUERY_DIM // 2)},
    ),
    ScoreCase(
        "cosine",
        lambda: scores.Cosine(scale=3.0),
        _pairs(lambda p, q, k: 3.0 * ref_scores.cosine(q, k)),
    ),
    ScoreCase(
        "location",
        scores.Location,
        lambda p, b, h, query, key: ref_scores.location(p["weight"], query, len(key)),
        {"weight": numbers("location", KEYS + 4, QUERY_DIM, scale=0.7)},
        key_dim=OTHER_DIM,
    ),
    ScoreCase(
        "euclidean",
        lambda: scores.Euclidean(),
        _pairs(lambda p, q, k: ref_scores.euclidean(q, k)),
    ),
    ScoreCase(
        "gaussian",
        scores.Gaussian,
        _pairs(lambda p, q, k: ref_scores.gaussian(p["width"], q, k)),
        {"width": 1.7},
        positive=True,
    ),
    ScoreCase(
        "boxcar",
        lambda: scores.Boxcar(width=2.5),
        _pairs(lambda p, q, k: ref_scores.boxcar(2.5, q, k)),
        positive=True,
    ),
    ScoreCase(
        "epanechnikov",
        scores.Epanechnikov,
        _pairs(lambda p, q, k: ref_scores.epanechnikov(p["width"], q, k)),
        {"width": 3.1},
        positive=True,
    ),
    ScoreCase("alibi", lambda: scores.Alibi(HEADS), _alibi),
    ScoreCase(
        "scaled_dot+alibi",
        lambda: scores.ScaledDot() + scores.Alibi(HEADS),
        _sum(_scaled_dot, _alibi),
    ),
    ScoreCase(
        "scaled_dot+relative",
        lambda table: scores.ScaledDot() + scores.Relative(table),
        _sum(_scaled_dot, _relative_by_head),
        {"table": numbers("relative by head", HEADS, 2 * REACH + 1)},
    ),
    ScoreCase(
        "additive+relative",
        lambda table, **rest: scores.Additive(**rest) + scores.Relative(table),
        _sum(_additive, _relative),
        {**_ADDITIVE, "table": numbers("relative", 2 * REACH + 1)},
        key_dim=OTHER_DIM,
    ),
    ScoreCase(
        "scaled_dot+relative_keys",
        lambda table: scores.ScaledDot() + scores.RelativeKeys(table),
        _sum(_scaled_dot, _relative_keys),
        {"table": numbers("relative keys", 2 * REACH + 1, QUERY_DIM)},
    ),
    ScoreCase(
        "general+gaussian_around",
        lambda weight, centres, sigma: (
            scores.General(weight) + scores.GaussianAround(centres, sigma)
        ),
        _sum(_general, _around),
        {
            "weight": numbers("general of local", QUERY_DIM, OTHER_DIM, scale=0.4),
            "centres": _CENTRES,
            "sigma": 1.9,
        },
        key_dim=OTHER_DIM,
    ),
    ScoreCase(
        "scaled_dot+bias",
        lambda bias: scores.ScaledDot() + scores.Bias(bias),
        _sum(_scaled_dot, _bias),
        {"bias": numbers("bias", HEADS, QUERIES, KEYS)},
    ),
    ScoreCase(
        "dot+bias",
        lambda key_bias: scores.Dot() + scores.Bias(key_bias),
        _sum(_pairs(lambda p, q, k: ref_scores.dot(q, k)), _key_bias),
        {"key_bias": numbers("another bias of keys", HEADS, 1, KEYS)},
    ),
    ScoreCase(
        "dot_doubled",
        lambda: 2 * scores.Dot(),
        _pairs(lambda p, q, k: 2 * ref_scores.dot(q, k)),
    ),
    ScoreCase(
        "scaled_by_head+alibi",
        lambda factor: factor * (scores.ScaledDot() + scores.Alibi(HEADS)),
        _times_head(_sum(_scaled_dot, _alibi)),
        {"factor": numbers("factor", HEADS, 1, 1)},
    ),
    ScoreCase(
        "function",
        lambda weight: scores.Function(partial(_weighted_gaps, weight)),
        _pairs(lambda p, q, k: ref_scores.weighted_gaps(p["weight"], q, k)),
        {"weight": numbers("weights of gaps", QUERY_DIM)},
    ),
    ScoreCase(
        "by_mask",
        lambda weight: scores.ByMask(masks.strided(3), scores.ScaledDot(), scores.General(weight)),
        _where,
        {"weight": numbers("general of where", QUERY_DIM // 2, QUERY_DIM // 2)},
    ),
    ScoreCase(
        "by_mask+relative",
        lambda table, weight: (
            scores.ByMask(masks.strided(3), scores.ScaledDot(), scores.General(weight))
            + scores.Relative(table)
        ),
        _sum(_where, _relative_by_head),
        {
            "table": numbers("relative of where", HEADS, 2 * REACH + 1),
            "weight": numbers("general beside relative", QUERY_DIM // 2, QUERY_DIM // 2),
        },
    ),
]
SCORE = {case.name: case for case in SCORES}
