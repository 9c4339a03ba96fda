"""Attention in linear memory: row blocks, forgotten as soon as they are pooled.

Some rows of the map at a time are scored against every column they may see, normalised as complete
rows, pooled and dropped. Complete rows mean that any normaliser works as it is defined, with no
online rescaling. The backward pass computes each block once more under autograd. Memory is the
block plus what is linear in Q and K; time follows the tiles that are not empty.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from math import prod
from typing import Any, NamedTuple

import torch
from torch.utils.checkpoint import checkpoint

from regard.kernels.available import numba_available
from regard.kernels.derivatives import apply, differentiated_again, gradients_of, transformed
from regard.types import Float, Tensor

from ..forms import Form, Inner, Tile
from ..masks import EMPTY, PARTIAL, Mask, Spans
from .call import Call
from .kernel import fused_kernel
from .reference import weights_of
from .sparse import follows_support, support_gradients

ROW, COLUMN, SHARED = range(3)
"""What a tensor belongs to: the queries, the keys, or all pairs."""

BLOCK_ELEMENTS = 2**21
"""Scores held at once, over all leading axes; half as many without compiled kernels, because
tensor operations leave more of them behind and like them in the cache."""

TILE = 64
"""Columns that are skipped together."""

FEWEST_ROWS, MOST_ROWS = 16, 128
"""Fewer rows would re-read all keys too often; more would look past the edge of a narrow mask."""


class Block(NamedTuple):
    """Some rows, the columns that any of them may see, and whether the mask must be looked at."""

    rows: range
    columns: range | Tensor
    masked: bool


@dataclass(frozen=True, eq=False, slots=True)
class Streamed:
    """A call cut into blocks, with its score as a form."""

    call: Call
    form: Form
    inner: Inner | None
    """The form, where it is an inner product."""
    blocks: list[Block]

    @classmethod
    def of(cls, call: Call) -> "Streamed":
        """The call, cut as its mask allows."""
        form = as_form(call)
        return cls(call, form, form.as_inner(), blocks_of(call))

    def tensors(self) -> list[Tensor]:
        """All that may carry a gradient: values, what the form is made of, what normalises."""
        form, learned = self.form, self.call.normaliser.tensors()
        return [self.call.value, *form.rows, *form.columns, *form.shared, *learned]

    def read(self) -> list[Tensor]:
        """What both passes read and what carries no gradient: the tensors of masks."""
        of_mask = [] if self.call.mask is None else self.call.mask.tensors()
        return of_mask + [x for x in self.call.score.tensors() if not x.is_floating_point()]

    def kinds(self) -> list[int]:
        """What each of :meth:`tensors` belongs to."""
        form = self.form
        rows, columns, shared = map(len, (form.rows, form.columns, form.shared))
        shared += len(self.call.normaliser.tensors())
        return [COLUMN] + [ROW] * rows + [COLUMN] * columns + [SHARED] * shared

    def cut(self, tensors: Sequence[Tensor], at: Tile) -> list[Tensor]:
        """The part of each tensor that a block needs."""
        takes = {ROW: at.take_rows, COLUMN: at.take_columns}
        pairs = zip(self.kinds(), tensors, strict=True)
        return [x if kind == SHARED else takes[kind]((x,))[0] for kind, x in pairs]

    def weights(self, pieces: Sequence[Tensor], at: Tile, *, masked: bool) -> Tensor:
        """Score, mask and normalise one block, from its pieces without the values."""
        left = iter(pieces)
        counts = map(len, (self.form.rows, self.form.columns, self.form.shared))
        rows, columns, shared = (tuple(islice(left, count)) for count in counts)
        call = self.call._replace(normaliser=self.call.normaliser.given(tuple(left)))
        return weights_of(call, self.form.fast_tile(rows, columns, shared, at), at, masked=masked)

    @property
    def fuses(self) -> bool:
        """Whether a block is one call of torch's kernel."""
        call = self.call
        return self.inner is not None and call.normaliser.is_softmax and not call.dropout

    def fused(self, pieces: Sequence[Tensor], at: Tile, *, masked: bool) -> Tensor:
        """The context of one block in one call, where :attr:`fuses` says so."""
        value, query, key, *bias = pieces
        assert self.inner is not None
        inner = Inner(query, key, self.inner.scale, bias[0].squeeze(-1) if bias else None)
        mask = self.call.mask if masked else None
        axes = len(self.call.leading) + 2
        return fused_kernel(inner, value, allowed=None if mask is None else mask.allowed(at, axes))

    def context(self, pieces: Sequence[Tensor], at: Tile, *, masked: bool) -> Tensor:
        """The context of one block."""
        if self.fuses:
            return self.fused(pieces, at, masked=masked)
        return self.weights(pieces[1:], at, masked=masked) @ pieces[0]

    def defined(self, *tensors: Tensor) -> Tensor:
        """The context of all blocks as one expression of the tensors: nothing is forgotten."""
        contexts = []
        for rows, columns, masked in self.blocks:
            at = Tile(rows, columns, tensors[0].device)
            contexts.append(self.context(self.cut(tensors, at), at, masked=masked))
        return torch.cat(contexts, dim=-2) if len(contexts) > 1 else contexts[0]

    def checkpointed(self) -> Tensor:
        """The context where tensors that nobody names want gradients: autograd finds them.

        Each block is computed again in the backward pass, as everywhere, but by torch's own means.
        """
        contexts, read = [], self.read()
        for block in self.blocks:
            at = Tile(block.rows, block.columns, self.call.value.device)
            pieces = self.cut(self.tensors(), at)

            def context(*tensors: Tensor, at: Tile = at, block: Block = block) -> Tensor:
                return self.context(tensors[: -len(read) or None], at, masked=block.masked)

            # Only what is an argument by itself is guarded against changes in between.
            contexts.append(checkpoint(context, *pieces, *read, use_reentrant=False))
        return torch.cat(contexts, dim=-2)

    def gradients(
        self, pieces: list[Tensor], gradient: Tensor, at: Tile, *, masked: bool
    ) -> list[Tensor | None]:
        """The gradient of one block's context for each piece that asks for one."""
        with torch.enable_grad():
            if self.fuses:
                return _input_gradients(self.fused(pieces, at, masked=masked), pieces, gradient)
            weights = self.weights(pieces[1:], at, masked=masked)
        if self.inner is not None and follows_support(self.call, self.inner, pieces, weights):
            return support_gradients(self.call, self.inner, pieces, weights, gradient)
        value = pieces[0]
        by_value = (weights.detach().mT @ gradient).sum_to_size(value.shape)
        by_weight = (gradient @ value.detach().mT).sum_to_size(weights.shape)
        return [by_value, *_input_gradients(weights, pieces[1:], by_weight)]


def as_form(call: Call) -> Form:
    """The call's pairing: an inner product where its normaliser cannot tell the difference."""
    if call.normaliser.shift_invariant and call.score.is_inner(call.mask):
        inner = call.score.inner(call.query, call.key, call.mask)
        if inner is not None:
            return inner
    form = call.score.form(call.query, call.key)
    inner = form.as_inner()
    return form if inner is None else inner


def blocks_of(call: Call) -> list[Block]:
    """How the call is cut."""
    batch = prod(call.leading)
    return row_blocks(call.mask, call.num_queries, call.num_keys, batch, call.query.device)


def stream(call: Call) -> Float[Tensor, "*B Q E"]:
    """The context, block by block."""
    dtype, call = call.query.dtype, call.widened()
    streamed = Streamed.of(call)
    # Where one block is all, its weights are kept, not computed again.
    whole = len(streamed.blocks) == 1 and streamed.inner is None
    if whole or transformed():
        return streamed.defined(*streamed.tensors()).to(dtype)
    if not streamed.form.closed:
        return streamed.checkpointed().to(dtype)
    return apply(_Stream, streamed, *streamed.tensors()).to(dtype)


class _Stream(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, streamed: Streamed, *tensors: Tensor) -> Tensor:
        ctx.streamed = streamed
        ctx.save_for_backward(*tensors, *streamed.read())  # so that no change goes unnoticed
        context = tensors[0].new_empty(0)
        for rows, columns, masked in streamed.blocks:
            at = Tile(rows, columns, context.device)
            piece = streamed.context(streamed.cut(tensors, at), at, masked=masked)
            if rows.start == 0:
                count = streamed.call.num_queries
                context = piece.new_empty(*piece.shape[:-2], count, piece.shape[-1])
            context[..., rows.start : rows.stop, :] = piece
        return context

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        streamed, wanted = ctx.streamed, ctx.needs_input_grad[1:]
        tensors = ctx.saved_tensors[: len(wanted)]
        if differentiated_again(gradient):
            return None, *gradients_of(streamed.defined, tensors, gradient)
        totals = [torch.zeros_like(x) if w else None for x, w in zip(tensors, wanted, strict=True)]
        for block in streamed.blocks:
            at = Tile(block.rows, block.columns, gradient.device)
            cut = streamed.cut(tensors, at)
            pieces = [x.detach().requires_grad_(w) for x, w in zip(cut, wanted, strict=True)]
            part = gradient[..., block.rows.start : block.rows.stop, :]
            gradients = streamed.gradients(pieces, part, at, masked=block.masked)
            for kind, total, part in zip(streamed.kinds(), totals, gradients, strict=True):
                if total is not None and part is not None:
                    _add(total, part, {ROW: block.rows, COLUMN: block.columns}.get(kind))
        return (None, *totals)


def _input_gradients(
    output: Tensor, leaves: Sequence[Tensor], gradient: Tensor
) -> list[Tensor | None]:
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


def row_blocks(
    mask: Mask | None, num_queries: int, num_keys: int, batch: int, device: torch.device
) -> list[Block]:
    """The map, block by block; columns that are empty for all rows of a block are left out.

    Args:
        mask: what may attend.
        num_queries: Q.
        num_keys: K.
        batch: product of the leading axes.
        device: where index tensors are made.
    """
    # There is little to leave out of one tile, and no compiler can follow what tiles hold.
    if mask is None or num_keys <= TILE or torch.compiler.is_compiling():
        size = rows_per_block(num_keys * batch, num_queries)
        starts = range(0, num_queries, size)
        rows = (range(i, min(i + size, num_queries)) for i in starts)
        return [Block(some, range(num_keys), mask is not None) for some in rows]
    columns = Spans.of(num_keys, TILE)
    sample = mask.tiles(Spans.of(num_queries, TILE), columns) != EMPTY
    seen = max(TILE, int(sample.sum() * TILE / max(1, len(sample)))) if sample.numel() else TILE
    size = min(rows_per_block(seen * batch, num_queries), MOST_ROWS)
    table = mask.tiles(Spans.of(num_queries, size), columns)
    return [
        Block(
            range(i * size, min((i + 1) * size, num_queries)),
            _columns(tiles, num_keys, device),
            bool((tiles == PARTIAL).any()),
        )
        for i, tiles in enumerate(table)
    ]


def rows_per_block(elements_per_row: int, num_queries: int) -> int:
    """How many rows fit the budget."""
    compiled = not torch.compiler.is_compiling() and numba_available()
    budget = BLOCK_ELEMENTS if compiled else BLOCK_ELEMENTS // 2
    return max(1, min(num_queries, max(FEWEST_ROWS, budget // max(1, elements_per_row))))


def _columns(tiles: Tensor, num_keys: int, device: torch.device) -> range | Tensor:
    """The columns of the tiles that are not empty: a range where they are neighbours."""
    active = tiles.ne(EMPTY).nonzero().flatten().tolist()
    if not active:
        return range(0)
    first, last = active[0], active[-1]
    if len(active) == last - first + 1:
        return range(first * TILE, min((last + 1) * TILE, num_keys))
    pieces = [torch.arange(i * TILE, min((i + 1) * TILE, num_keys)) for i in active]
    return torch.cat(pieces).to(device)
