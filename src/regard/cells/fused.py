"""Torch's own kernels for whole sequences, behind the interface of a cell."""

from collections.abc import Callable
from typing import Any, ClassVar

import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from regard.kernels.derivatives import transformed
from regard.types import Float, Int, Tensor

from .base import AnyState, Cell, vectors

OneState = Float[Tensor, "1 b H"]
Kernel = Callable[..., tuple[Tensor, ...]]


class FusedCell(Cell[AnyState]):
    """A cell for which torch has a kernel that runs all steps in one call.

    The kernel runs where it computes what the cell defines: not under variational dropout, not
    while compiling (the compiler fuses the steps itself), not under ``torch.func``, not when hooks
    wait on single steps, and not for a subclass with a step of its own.
    """

    kernel: ClassVar[Kernel]
    peer: ClassVar[Callable[..., nn.RNNBase]]
    """The module of torch with the same equations, see :func:`from_torch`."""

    input_proj: nn.Linear
    hidden_proj: nn.Linear
    """Has a bias only where something acts between it and that of the input."""

    def kernel_weights(self) -> list[Tensor]:
        """W_ih, W_hh, b_ih, b_hh in torch's order of gates; without a second bias it is zero."""
        first, second = self.input_proj.bias, self.hidden_proj.bias
        biases = [first, torch.zeros_like(first) if second is None else second]
        return [self.input_proj.weight, self.hidden_proj.weight, *biases]

    @torch.no_grad()
    def load_kernel_weights(
        self, weight_ih: Tensor, weight_hh: Tensor, bias_ih: Tensor, bias_hh: Tensor
    ) -> None:
        """Take over weights in torch's order of gates; biases that are only added become one."""
        self.input_proj.weight.copy_(weight_ih)
        self.hidden_proj.weight.copy_(weight_hh)
        if self.hidden_proj.bias is None:
            self.input_proj.bias.copy_(bias_ih + bias_hh)
        else:
            self.input_proj.bias.copy_(bias_ih)
            self.hidden_proj.bias.copy_(bias_hh)

    def fusable(self) -> bool:
        """Whether one call of the kernel is the same as all steps in turn."""
        step = {"forward", "next_state"}
        stepping = next(kind for kind in type(self).__mro__ if step & vars(kind).keys())
        hooked = self._forward_hooks or self._forward_pre_hooks
        seen_through = torch.compiler.is_compiling() or transformed()
        return "kernel" in vars(stepping) and not hooked and not seen_through

    def run(
        self,
        x: Float[Tensor, "*B N D"],
        state: AnyState,
        *,
        lengths: Int[Tensor, "*B"] | None = None,
        hidden_mask: Float[Tensor, "*B H"] | None = None,
    ) -> tuple[Float[Tensor, "*B N H"], AnyState]:
        """All steps in one call of the kernel where it can be, one by one otherwise."""
        if hidden_mask is not None or not self.fusable() or not x.numel():
            return super().run(x, state, lengths=lengths, hidden_mask=hidden_mask)
        batch, steps, kind = x.shape[:-2], x.shape[-2], type(state)
        flat = x.reshape(-1, steps, self.input_dim)
        before: list[Any] = [part.reshape(1, -1, self.hidden_dim) for part in vectors(state)]
        if lengths is None:
            output, *after = self._padded(flat, before)
        else:
            output, *after = self._packed(flat, before, lengths.reshape(-1))
        output = output.reshape(*batch, steps, self.hidden_dim).to(before[0].dtype)
        shaped = [part.reshape(*batch, self.hidden_dim).to(before[0].dtype) for part in after]
        return output, kind(*shaped)

    def _padded(self, x: Float[Tensor, "b N D"], before: list[OneState]) -> tuple[Tensor, ...]:
        begin = before[0] if len(before) == 1 else tuple(before)
        weights = self.kernel_weights()
        return type(self).kernel(x, begin, weights, True, 1, 0.0, self.training, False, True)

    def _packed(
        self, x: Float[Tensor, "b N D"], before: list[OneState], lengths: Int[Tensor, " b"]
    ) -> tuple[Tensor, ...]:
        """Sequences of different lengths; one without any step makes one and is then undone."""
        made = lengths.clamp(min=1).cpu()
        packed = pack_padded_sequence(x, made, batch_first=True, enforce_sorted=False)
        rows, back = packed.sorted_indices, packed.unsorted_indices
        assert rows is not None and back is not None
        begin = [part.index_select(1, rows) for part in before]
        state = begin[0] if len(begin) == 1 else tuple(begin)
        data, *after = type(self).kernel(
            packed.data,
            packed.batch_sizes,
            state,
            self.kernel_weights(),
            True,
            1,
            0.0,
            self.training,
            False,
        )
        output, _ = pad_packed_sequence(
            PackedSequence(data, packed.batch_sizes, rows, back),
            batch_first=True,
            total_length=x.shape[1],
        )
        any_step = (lengths > 0).unsqueeze(-1)
        kept = [
            new.index_select(1, back).where(any_step, old)
            for new, old in zip(after, before, strict=True)
        ]
        return output.where(any_step.unsqueeze(-1), 0), *kept
