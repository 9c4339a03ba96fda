"""Attention in linear memory: row blocks, forgotten as soon as they are pooled.

Some rows of the map at a time are scored against every column they may see, normalised as complete
rows, pooled and dropped. Complete rows mean that any normaliser works as it is defined, with no
online rescaling. The backward pass computes each block once more under autograd. Memory is the
block plus what is linear in Q and K; time follows the tiles that are not empty.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import torch
from torch.autograd.function import once_differentiable

from regard.types import Float, Tensor

from ..forms import At, Form, Inner
from ..normalisers import Softmax
from .blocks import Block, row_blocks
from .lower import fused
from .reference import weights_of
from .sparse import follows_support, support_gradients
from .task import Task

ROW, COLUMN, SHARED = range(3)
"""What a tensor belongs to: the queries, the keys, or all pairs."""


@dataclass(frozen=True, eq=False, slots=True)
class Streamed:
    """A task cut into blocks, with its score as a form."""

    task: Task
    form: Form
    blocks: list[Block]

    def tensors(self) -> list[Tensor]:
        """Everything that may carry a gradient: the values, then what the form is made of."""
        form = self.form
        return [self.task.value, *form.rows, *form.columns, *form.shared]

    def kinds(self) -> list[int]:
        """What each of :meth:`tensors` belongs to."""
        form = self.form
        rows, columns, shared = map(len, (form.rows, form.columns, form.shared))
        return [COLUMN] + [ROW] * rows + [COLUMN] * columns + [SHARED] * shared

    def cut(self, tensors: Sequence[Tensor], at: At) -> list[Tensor]:
        """The part of each tensor that a block needs."""
        takes = {ROW: at.take_rows, COLUMN: at.take_columns}
        pairs = zip(self.kinds(), tensors, strict=True)
        return [x if kind == SHARED else takes[kind]((x,))[0] for kind, x in pairs]

    def weights(self, pieces: Sequence[Tensor], at: At, *, masked: bool) -> Tensor:
        """Score, mask and normalise one block, from its pieces without the values."""
        r, c = len(self.form.rows), len(self.form.columns)
        sides = tuple(pieces[:r]), tuple(pieces[r : r + c]), tuple(pieces[r + c :])
        return weights_of(self.task, self.form.fast_tile(*sides, at), at, masked=masked)

    @property
    def fuses(self) -> bool:
        """Whether a block is one call of torch's kernel."""
        softmaxed = isinstance(self.task.normaliser, Softmax) and not self.task.dropout
        return softmaxed and isinstance(self.form, Inner)

    def fused(self, pieces: Sequence[Tensor], at: At, *, masked: bool) -> Tensor:
        """The context of one block in one call, where :attr:`fuses` says so."""
        value, query, key, *bias = pieces
        assert isinstance(self.form, Inner)
        inner = Inner(query, key, self.form.scale, bias[0].squeeze(-1) if bias else None)
        mask = self.task.mask if masked else None
        axes = len(self.task.leading) + 2
        return fused(inner, value, allowed=None if mask is None else mask.allowed(at, axes))

    def context(self, pieces: Sequence[Tensor], at: At, *, masked: bool) -> Tensor:
        """The context of one block."""
        if self.fuses:
            return self.fused(pieces, at, masked=masked)
        return self.weights(pieces[1:], at, masked=masked) @ pieces[0]

    def whole(self) -> Tensor:
        """The context where one block is all: its weights are kept, not computed again."""
        (block,) = self.blocks
        at = At(block.rows, block.columns, self.task.value.device)
        return self.context(self.cut(self.tensors(), at), at, masked=block.masked)

    def gradients(
        self, pieces: list[Tensor], gradient: Tensor, at: At, *, masked: bool
    ) -> list[Tensor | None]:
        """The gradient of one block's context for each piece that asks for one."""
        with torch.enable_grad():
            if self.fuses:
                return _pulled_back(self.fused(pieces, at, masked=masked), pieces, gradient)
            weights = self.weights(pieces[1:], at, masked=masked)
        if follows_support(self.task, self.form, pieces, weights):
            return support_gradients(self.task, self.form, pieces, weights, gradient)
        value = pieces[0]
        by_value = (weights.detach().mT @ gradient).sum_to_size(value.shape)
        by_weight = (gradient @ value.detach().mT).sum_to_size(weights.shape)
        return [by_value, *_pulled_back(weights, pieces[1:], by_weight)]


def as_form(task: Task) -> Form:
    """The task's pairing: an inner product where its normaliser cannot tell the difference."""
    if task.normaliser.shift_invariant and task.score.is_inner(task.mask):
        return task.score.inner(task.query, task.key, task.mask)
    return task.score.form(task.query, task.key)


def blocks_of(task: Task) -> list[Block]:
    """How the task is cut."""
    batch = prod(task.leading)
    return row_blocks(task.mask, task.num_queries, task.num_keys, batch, task.query.device)


def stream(task: Task) -> Float[Tensor, "*B Q E"]:
    """The context, block by block."""
    dtype, task = task.query.dtype, task.widened()
    streamed = Streamed(task, as_form(task), blocks_of(task))
    if len(streamed.blocks) == 1 and not isinstance(streamed.form, Inner):
        return streamed.whole().to(dtype)
    return _Stream.apply(streamed, *streamed.tensors()).to(dtype)  # type: ignore[no-untyped-call]


class _Stream(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, streamed: Streamed, *tensors: Tensor) -> Tensor:
        ctx.streamed = streamed
        ctx.save_for_backward(*tensors)
        context = tensors[0].new_empty(0)
        for rows, columns, masked in streamed.blocks:
            at = At(rows, columns, context.device)
            piece = streamed.context(streamed.cut(tensors, at), at, masked=masked)
            if rows.start == 0:
                count = streamed.task.num_queries
                context = piece.new_empty(*piece.shape[:-2], count, piece.shape[-1])
            context[..., rows.start : rows.stop, :] = piece
        return context

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        streamed, tensors = ctx.streamed, ctx.saved_tensors
        wanted = ctx.needs_input_grad[1:]
        totals = [torch.zeros_like(x) if w else None for x, w in zip(tensors, wanted, strict=True)]
        for block in streamed.blocks:
            at = At(block.rows, block.columns, gradient.device)
            cut = streamed.cut(tensors, at)
            pieces = [x.detach().requires_grad_(w) for x, w in zip(cut, wanted, strict=True)]
            part = gradient[..., block.rows.start : block.rows.stop, :]
            gradients = streamed.gradients(pieces, part, at, masked=block.masked)
            for kind, total, part in zip(streamed.kinds(), totals, gradients, strict=True):
                if total is not None and part is not None:
                    _add(total, part, {ROW: block.rows, COLUMN: block.columns}.get(kind))
        return (None, *totals)


def _pulled_back(output: Tensor, leaves: Sequence[Tensor], gradient: Tensor) -> list[Tensor | None]:
    """The gradient of ``output`` for each leaf that asks for one."""
    wanted = [leaf for leaf in leaves if leaf.requires_grad]
    if not output.requires_grad or not wanted:
        return [None] * len(leaves)
    found = iter(torch.autograd.grad(output, wanted, gradient, allow_unused=True))
    return [next(found) if leaf.requires_grad else None for leaf in leaves]


def _add(total: Tensor, part: Tensor, where: range | Tensor | None) -> None:
    """Add ``part`` to the positions it came from; ``None`` is everywhere."""
    if where is None:
        total += part
    elif isinstance(where, Tensor):
        total.index_add_(-2, where, part)
    else:
        total[..., where.start : where.stop, :] += part
