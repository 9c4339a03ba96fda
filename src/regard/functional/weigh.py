"""The weights themselves: all of them, some rows, some heads, the largest, or their sums."""

import warnings
from typing import Literal, NamedTuple, overload

import torch

from regard.errors import ChoiceError, RangeError, ShapeError
from regard.types import Float, Int, Tensor

from .engine.call import Call, outside_autocast, prepare
from .engine.rows import spread, walk
from .index import Index as Index
from .index import picked
from .masks import Mask
from .normalisers import Normaliser
from .scores import ScoreLike
from .value import require_whole


class TopWeights(NamedTuple):
    """The largest weights of each query, in falling order, and the keys they belong to."""

    weights: Float[Tensor, "*B Q n"]
    keys: Int[Tensor, "*B Q n"]


@overload
def weigh(
    query: Tensor,
    key: Tensor,
    *,
    score: ScoreLike = "scaled_dot",
    mask: Mask | Tensor | str | None = None,
    normalise: Normaliser | str = "softmax",
    rows: Index | None = None,
    heads: Index | None = None,
    topk: None = None,
    columns: Literal["sum", "mean"] | None = None,
) -> Tensor: ...


@overload
def weigh(
    query: Tensor,
    key: Tensor,
    *,
    score: ScoreLike = "scaled_dot",
    mask: Mask | Tensor | str | None = None,
    normalise: Normaliser | str = "softmax",
    rows: Index | None = None,
    heads: Index | None = None,
    topk: int,
) -> TopWeights: ...


@outside_autocast
def weigh(
    query: Float[Tensor, "*#B Q Dq"],
    key: Float[Tensor, "*#G K Dk"],
    *,
    score: ScoreLike = "scaled_dot",
    mask: Mask | Tensor | str | None = None,
    normalise: Normaliser | str = "softmax",
    rows: Index | None = None,
    heads: Index | None = None,
    topk: int | None = None,
    columns: Literal["sum", "mean"] | None = None,
) -> Tensor | TopWeights:
    r"""The attention weights that :func:`regard.attend` pools with.

    .. math:: \alpha_q = \text{normalise}(\text{mask}(\text{score}(q_q, k_\cdot)))

    Only what is asked for is computed and held: eight rows of a map of a hundred thousand squared
    are eight rows; ``columns`` walks over the map and forgets it, as :func:`regard.top_weights`.

    Args:
        query: what is looking.
        key: what is looked at.
        score: as in :func:`regard.attend`.
        mask: as in :func:`regard.attend`.
        normalise: as in :func:`regard.attend`.
        rows: which queries, with the meaning it has for a tensor: an integer drops the axis, a
            slice, a list or tensor of positions, or one boolean for each; ``None`` is all.
        heads: which entries of the axis before the positions, likewise.
        topk: deprecated, see :func:`regard.top_weights`.
        columns: ``"sum"`` or ``"mean"`` over the queries: how much attention each key gets,
            (*B, K).

    Raises:
        RegardError: anything that does not fit, in one sentence.
    """
    if topk is not None:
        if columns is not None:
            raise ChoiceError("weigh gives topk or columns, not both; call it twice")
        warnings.warn(
            f"weigh(topk={topk}) becomes top_weights(query, key, {topk}); the old spelling goes "
            "with the next release",
            DeprecationWarning,
            stacklevel=3,
        )
        return top_weights(
            query,
            key,
            topk,
            score=score,
            mask=mask,
            normalise=normalise,
            rows=rows,
            heads=heads,
        )
    call = prepare(query, key, key, score, mask, normalise).drawn()
    chosen_rows, drop_row = picked("rows", rows, call.num_queries)
    chosen_heads, drop_head = _heads(heads, call)
    if columns is not None:
        total = _column_sums(call, columns, chosen_rows, chosen_heads)
        return (total.squeeze(-2) if drop_head else total).to(query.dtype)
    pieces = [spread(w, at, call.num_keys) for at, w in walk(call, chosen_rows, chosen_heads)]
    weights = torch.cat(pieces, dim=-2) if pieces else _nothing(call, chosen_heads)
    return _drop(weights, drop_row, drop_head).to(query.dtype)


@outside_autocast
def top_weights(
    query: Float[Tensor, "*#B Q Dq"],
    key: Float[Tensor, "*#G K Dk"],
    count: int,
    *,
    score: ScoreLike = "scaled_dot",
    mask: Mask | Tensor | str | None = None,
    normalise: Normaliser | str = "softmax",
    rows: Index | None = None,
    heads: Index | None = None,
) -> TopWeights:
    """The largest weights of each query, and the keys they belong to; the map is never held.

    Args:
        query: what is looking.
        key: what is looked at.
        count: how many weights of each query, at most K.
        score: as in :func:`regard.attend`.
        mask: as in :func:`regard.attend`.
        normalise: as in :func:`regard.attend`.
        rows: which queries, as in :func:`regard.weigh`.
        heads: which heads, as in :func:`regard.weigh`.

    Raises:
        RegardError: anything that does not fit, in one sentence.
    """
    call = prepare(query, key, key, score, mask, normalise).drawn()
    require_whole("top_weights", "count", count)
    if not 1 <= count <= call.num_keys:
        raise RangeError(
            f"top_weights needs a count from 1 to {call.num_keys}, the number of keys, got {count}"
        )
    chosen_rows, drop_row = picked("rows", rows, call.num_queries)
    chosen_heads, drop_head = _heads(heads, call)
    walked = walk(call, chosen_rows, chosen_heads)
    found = [spread(weights, at, call.num_keys).topk(count) for at, weights in walked]
    found = found or [_nothing(call, chosen_heads).topk(count)]
    weights = torch.cat([part.values for part in found], dim=-2).to(call.query.dtype)
    keys = torch.cat([part.indices for part in found], dim=-2)
    return TopWeights(_drop(weights, drop_row, drop_head), _drop(keys, drop_row, drop_head))


def _column_sums(
    call: Call, how: str, rows: range | Tensor, heads: Tensor | None
) -> Float[Tensor, "*B K"]:
    if how not in ("sum", "mean"):
        raise ChoiceError(f"unknown columns {how!r}. Known: mean, sum.")
    total = _nothing(call, heads).sum(dim=-2)
    for at, weights in walk(call, rows, heads):
        total = total + spread(weights.sum(dim=-2, keepdim=True), at, call.num_keys).squeeze(-2)
    return total / max(1, len(rows)) if how == "mean" else total


def _nothing(call: Call, heads: Tensor | None) -> Float[Tensor, "*B 0 K"]:
    """The weights of no rows."""
    leading = list(call.leading)
    if heads is not None:
        leading[-1] = len(heads)
    return call.widened().query.new_zeros(*leading, 0, call.num_keys)


def _heads(heads: Index | None, call: Call) -> tuple[Tensor | None, bool]:
    if heads is None:
        return None, False
    leading = call.leading
    if not leading:
        raise ShapeError(
            "heads needs an axis before the positions to pick from, got query "
            f"{tuple(call.query.shape)} and key {tuple(call.key.shape)}"
        )
    chosen, dropped = picked("heads", heads, leading[-1])
    index = torch.as_tensor(list(chosen)) if isinstance(chosen, range) else chosen
    return index.to(call.query.device), dropped


def _drop(x: Tensor, row: bool, head: bool) -> Tensor:
    x = x.squeeze(-3) if head else x
    return x.squeeze(-2) if row else x
