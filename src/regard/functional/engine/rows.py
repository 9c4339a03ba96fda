"""Walking over the weights of a map, some rows at a time, without ever holding the map."""

from collections.abc import Iterator
from math import prod

import torch

from regard.types import Float, Int, Tensor

from ..forms import Form, Tile
from .call import Call
from .reference import weights_of
from .stream import Block, as_form, blocks_of, rows_per_block
from .unseen import Shadow, can_check, finite, merge_rows, ordinary


def walk(
    call: Call, rows: range | Int[Tensor, " r"], heads: Int[Tensor, " h"] | None = None
) -> Iterator[tuple[Tile, Float[Tensor, "*B r c"]]]:
    """The weights of these rows, block by block, each with where it lies.

    Columns that no row of a block may see are left out of it.
    """
    call = call.widened()
    form = _form(call, heads)
    elements = None
    if heads is not None:
        elements = torch.arange(prod(call.leading), device=heads.device).view(call.leading)
        elements = elements.index_select(-1, heads)
    for block in _blocks(call, rows):
        at = Tile(block.rows, block.columns, call.query.device, elements)
        weights = _weights(call, form, at, heads, masked=block.masked)
        if call.mask is not None and can_check(call):
            weights = _mask_safe(call, weights, at, heads, masked=block.masked)
        yield at, weights


def scored_rows(
    call: Call, rows: range | Int[Tensor, " r"], heads: Int[Tensor, " h"] | None = None
) -> Iterator[Float[Tensor, "*B r K"]]:
    """The scores of these rows, block by block, before mask and normaliser."""
    call = call.widened()
    form = _form(call, heads)
    size = rows_per_block(call.num_keys * prod(call.leading), max(1, len(rows)))
    for i in range(0, len(rows), size):
        at = Tile(rows[i : i + size], range(call.num_keys), call.query.device)
        yield form.fast_tile(
            at.take_rows(form.rows), at.take_columns(form.columns), form.shared, at
        )


def _form(call: Call, heads: Tensor | None) -> Form:
    form = as_form(call)
    return form if heads is None else form.of_heads(heads)


def _mask_safe(
    call: Call, weights: Tensor, at: Tile, heads: Tensor | None, *, masked: bool
) -> Float[Tensor, "*B r c"]:
    """The weights, whatever the keys hold that these rows may not see."""
    if ordinary(call.key) if weights.requires_grad else finite(weights):
        return weights
    shadow = Shadow.of(call._replace(value=call.key))
    clean = _weights(shadow.call, _form(shadow.call, heads), at, heads, masked=masked)
    return merge_rows(clean, weights, shadow.seen(at, heads, masked=masked))


def _blocks(call: Call, rows: range | Tensor) -> list[Block]:
    """All rows as the mask cuts them, or the chosen rows against all columns."""
    if isinstance(rows, range) and len(rows) == call.num_queries:
        return blocks_of(call)
    size = rows_per_block(call.num_keys * prod(call.leading), max(1, len(rows)))
    columns = range(call.num_keys)
    return [Block(rows[i : i + size], columns, True) for i in range(0, len(rows), size)]  # type: ignore[arg-type]


def _weights(call: Call, form: Form, at: Tile, heads: Tensor | None, *, masked: bool) -> Tensor:
    sides = at.take_rows(form.rows), at.take_columns(form.columns), form.shared
    scores = form.fast_tile(*sides, at)
    return weights_of(call, scores, at, masked=masked, heads=heads)


def spread(weights: Float[Tensor, "*B r c"], at: Tile, num_keys: int) -> Float[Tensor, "*B r K"]:
    """Weights over all keys, zero where a block left columns out."""
    if weights.shape[-1] == num_keys:
        return weights
    full = weights.new_zeros(*weights.shape[:-1], num_keys)
    return full.index_add(-1, at.columns, weights)
