"""One call of attention, written out by loops, for any score, normaliser and mask."""

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor

from reference import attention

from .masks import MASK
from .normalisers import NORMALISER
from .scores import SCORE, ScoreCase
from .sizes import BATCH, HEADS, KEYS, QUERIES, QUERY_DIM, VALUE_DIM, Nested, numbers


def query_list() -> Nested:
    """Queries (B, H, Q, D)."""
    return numbers("query", BATCH, HEADS, QUERIES, QUERY_DIM)


def key_list(key_dim: int) -> Nested:
    """Keys (B, H, K, D) of this width."""
    return numbers(f"key {key_dim}", BATCH, HEADS, KEYS, key_dim)


def value_list() -> Nested:
    """Values (B, H, K, E)."""
    return numbers("value", BATCH, HEADS, KEYS, VALUE_DIM)


@cache
def inputs(
    score: ScoreCase, dtype: torch.dtype = torch.float64, *, rounded_to: torch.dtype | None = None
) -> tuple[Tensor, Tensor, Tensor, dict[str, Tensor]]:
    """Query, key, value and the parameters of the score, all of them leaves with gradients.

    With ``rounded_to`` the numbers are those that this dtype can hold.
    """

    def leaf(values: Nested) -> Tensor:
        exact = torch.tensor(values, dtype=rounded_to or dtype)
        return exact.to(dtype).requires_grad_()

    vectors = (query_list(), key_list(score.key_dim), value_list())
    query, key, value = map(leaf, vectors)
    return query, key, value, {name: leaf(x) for name, x in score.parameters.items()}


def corner(name: str, parameter: Tensor, rows: int, columns: int) -> Tensor:
    """What the first queries and keys of the first batch element need of a parameter."""
    if name == "centres":
        return parameter[0, :, :rows]
    return parameter[:, :rows, :columns] if name.endswith("bias") else parameter


def _per_head(table: Callable[[int, int], Any]) -> list[list[Any]]:
    return [[table(b, h) for h in range(HEADS)] for b in range(BATCH)]


@cache
def reference_scores(score: str) -> Nested:
    """Scores (B, H, Q, K) by loops."""
    case, query = SCORE[score], query_list()
    key = key_list(case.key_dim)
    return _per_head(lambda b, h: case.table(case.parameters, b, h, query[b][h], key[b][h]))


@cache
def reference_allowed(mask: str) -> Nested:
    """Allowed pairs (B, H, Q, K) by loops."""
    return _per_head(MASK[mask].table)


@cache
def reference_weights(score: str, normaliser: str, mask: str) -> Nested:
    """Weights (B, H, Q, K) by loops."""
    found, allowed = reference_scores(score), reference_allowed(mask)
    row = NORMALISER[normaliser].row
    return _per_head(lambda b, h: attention.weights(found[b][h], allowed[b][h], row))


@cache
def reference_context(score: str, normaliser: str, mask: str) -> Nested:
    """Context (B, H, Q, E) by loops."""
    weights, value = reference_weights(score, normaliser, mask), value_list()
    return _per_head(lambda b, h: attention.pool(weights[b][h], value[b][h], VALUE_DIM))
