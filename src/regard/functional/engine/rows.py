"""Walking over the weights of a map, some rows at a time, without ever holding the map."""

from collections.abc import Iterator
from math import prod

import torch

from regard.types import Float, Int, Tensor

from ..forms import At, Form
from .blocks import Block, rows_per_block
from .reference import weights_of
from .stream import as_form, blocks_of
from .task import Task
from .unseen import Shadow, apart, can_check, finite, ordinary


def walk(
    task: Task, rows: range | Int[Tensor, " r"], heads: Int[Tensor, " h"] | None = None
) -> Iterator[tuple[At, Float[Tensor, "*B r c"]]]:
    """The weights of these rows, block by block, each with where it lies.

    Columns that no row of a block may see are left out of it.
    """
    task = task.widened()
    form = _form(task, heads)
    elements = None
    if heads is not None:
        elements = torch.arange(prod(task.leading), device=heads.device).view(task.leading)
        elements = elements.index_select(-1, heads)
    for block in _blocks(task, rows):
        at = At(block.rows, block.columns, task.query.device, elements)
        weights = _weights(task, form, at, heads, masked=block.masked)
        if task.mask is not None and can_check(task):
            weights = _unmoved(task, weights, at, heads, masked=block.masked)
        yield at, weights


def _form(task: Task, heads: Tensor | None) -> Form:
    form = as_form(task)
    return form if heads is None else form.of_heads(heads)


def _unmoved(
    task: Task, weights: Tensor, at: At, heads: Tensor | None, *, masked: bool
) -> Float[Tensor, "*B r c"]:
    """The weights, whatever the keys hold that these rows may not see."""
    if ordinary(task.key) if weights.requires_grad else finite(weights):
        return weights
    shadow = Shadow.of(task._replace(value=task.key))
    clean = _weights(shadow.task, _form(shadow.task, heads), at, heads, masked=masked)
    return apart(clean, weights, shadow.seen(at, heads, masked=masked))


def _blocks(task: Task, rows: range | Tensor) -> list[Block]:
    """All rows as the mask cuts them, or the chosen rows against all columns."""
    if isinstance(rows, range) and len(rows) == task.num_queries:
        return blocks_of(task)
    size = rows_per_block(task.num_keys * prod(task.leading), max(1, len(rows)))
    columns = range(task.num_keys)
    return [Block(rows[i : i + size], columns, True) for i in range(0, len(rows), size)]  # type: ignore[arg-type]


def _weights(task: Task, form: Form, at: At, heads: Tensor | None, *, masked: bool) -> Tensor:
    sides = at.take_rows(form.rows), at.take_columns(form.columns), form.shared
    scores = form.fast_tile(*sides, at)
    return weights_of(task, scores, at, masked=masked, heads=heads)


def spread(weights: Float[Tensor, "*B r c"], at: At, num_keys: int) -> Float[Tensor, "*B r K"]:
    """Weights over all keys, zero where a block left columns out."""
    if weights.shape[-1] == num_keys:
        return weights
    full = weights.new_zeros(*weights.shape[:-1], num_keys)
    return full.index_add(-1, at.columns, weights)
