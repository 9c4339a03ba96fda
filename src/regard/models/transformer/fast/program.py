"""Layers as lists of operations, for :mod:`regard.kernels.stack_numba`."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import nn

from regard.kernels.packed_weights import filled, packed
from regard.kernels.ragged import Heads
from regard.kernels.threads import openmp_team
from regard.types import Float, Int, Tensor

from .backend import PagedMemory

Row = tuple[int, ...]
Array = np.ndarray


class Program:
    """A stack of layers, one operation after the other.

    It holds all weights, packed, as they were when it was written.

    Args:
        model: width of the states.
        heads: of all attentions.
        hidden: width between the maps of feed-forward layers.
        before: the norm before the first sublayer, where norms do not stand behind sums.
    """

    def __init__(
        self, *, model: int, heads: Heads, hidden: int, before: nn.LayerNorm | None
    ) -> None:
        from regard.kernels.stack_numba import Kind, Matrix

        self._model, self._heads, self._pre = model, heads, before is not None
        self._contexts = heads.query * heads.width
        self._widest = filled(max(self._contexts + 2 * heads.key * heads.width, hidden))
        self._rows, self._held = list[Row](), list[Tensor]()
        if before is not None:
            added, wide = Matrix.ADDED, filled(model)
            self._rows.append((Kind.CLEAR, added, wide, model, added, wide, 0, 0))
            self.leave(before)

    def map(
        self,
        weight: Float[Tensor, "N K"],
        bias: Float[Tensor, " N"] | None,
        source: int,
        target: int,
        *,
        relu: bool = False,
    ) -> None:
        """``target = source Wᵀ + b``, and nothing below 0 with ``relu``."""
        from regard.kernels.stack_numba import Kind, Matrix

        outputs, inputs = weight.shape
        columns = {Matrix.READ: self._model, Matrix.FOUND: self._contexts}
        wide = columns.get(Matrix(source), filled(inputs))
        row = weight.new_zeros(filled(outputs))
        if bias is not None:
            row[:outputs] = bias.detach()
        numbers = (self._at(packed(weight.detach())), self._at(row))
        kind = Kind.MAP_RELU if relu else Kind.MAP
        self._rows.append((kind, source, wide, inputs, target, filled(outputs), *numbers))

    def attend(self, kind: int, columns: int, layer: int = 0) -> None:
        """From what is projected to what is found.

        Args:
            kind: at what to look.
            columns: of what is projected.
            layer: whose keys and values.
        """
        from regard.kernels.stack_numba import Matrix

        wide, contexts = filled(columns), self._contexts
        row = (kind, Matrix.MAPPED, wide, contexts, Matrix.FOUND, contexts, layer, 0)
        self._rows.append(row)

    def leave(self, norm: nn.LayerNorm) -> None:
        """Take up what a sublayer adds, and normalise."""
        from regard.kernels.stack_numba import Kind, Matrix

        shift = torch.zeros_like(norm.weight) if norm.bias is None else norm.bias
        numbers = torch.cat([norm.weight, shift, norm.weight.new_tensor([norm.eps])]).detach()
        wide, model = filled(self._model), self._model
        place = self._at(numbers)
        self._rows.append((Kind.LEAVE, Matrix.ADDED, wide, model, Matrix.READ, model, place, 0))

    def keep(self) -> None:
        """Set aside what the next sublayer reads."""
        from regard.kernels.stack_numba import Kind, Matrix

        model = self._model
        self._rows.append((Kind.KEEP, Matrix.READ, model, model, Matrix.KEPT, model, 0, 0))

    def run(
        self,
        states: Float[Tensor, "R M"],
        own: PagedMemory,
        memory: PagedMemory | None = None,
        *,
        first: int = 0,
        widths: Sequence[int] = (),
    ) -> tuple[Float[Tensor, "R M"], list[Tensor]]:
        """All operations, on the threads of torch.

        Args:
            states: what enters; overwritten.
            own: the text itself.
            memory: another text.
            first: where among the rows of ``own`` those of the states begin.
            widths: columns of all that comes out.

        Returns:
            What was set aside, and what comes out.
        """
        from regard.kernels.stack_numba import SIZE, share, step

        x, rows = states.contiguous(), states.shape[0]
        kept, read = torch.empty_like(x), torch.empty_like(x) if self._pre else x
        inner = (self._widest, self._contexts, filled(self._model))
        room = [x.new_empty(rows, columns) for columns in inner]
        said = [x.new_empty(rows, filled(width)) for width in widths]
        matrices = _addresses([x, read, *room, kept, *said])
        program = self._program
        (text, its), (other, theirs) = _listed(own), _listed(memory or own)
        threads = torch.get_num_threads()
        others = openmp_team() if threads > 1 else None
        meeting = [0, 0, 0] if others is None else others[1:]
        sizes = [rows, *self._heads.plain, first, len(program)]
        places = [program.ctypes.data, matrices.ctypes.data, *its, *theirs]
        table = np.array([*meeting, *sizes, *places], np.int64)
        assert len(table) == SIZE
        if others is None:
            step(table, 0, 1)
        else:
            others.run(share.address, table.ctypes.data, threads)
        del room, text, other  # not before: only their addresses were known
        return kept, [made[:, :width] for made, width in zip(said, widths, strict=True)]

    @cached_property
    def _program(self) -> Int[Array, "N 8"]:
        return np.array(self._rows, np.int64)

    def _at(self, tensor: Tensor) -> int:
        """The address of a tensor, which stays there."""
        self._held.append(tensor)
        return tensor.data_ptr()


def _listed(looked: PagedMemory) -> tuple[list[Any], list[int]]:
    """What is looked at as :class:`regard.kernels.stack_numba.Pages` has it.

    Returns:
        What has to outlive the run, and the numbers.
    """
    pages, layers = looked.pages, _addresses(looked.layers)
    lists = [each.contiguous() for each in (pages.slots, pages.counts, pages.lists)]
    count, longest = pages.slots.shape
    places = [layers.ctypes.data, *(each.data_ptr() for each in lists)]
    return [layers, *lists], [*places, longest, count]


def _addresses(tensors: Sequence[Tensor]) -> Int[Array, " N"]:
    return np.array([tensor.data_ptr() for tensor in tensors], np.int64)
