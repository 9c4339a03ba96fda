"""The model is spread over the processes: FSDP2, for what does not fit into one of them."""

import copy
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, distribute_tensor
from torch.optim import Optimizer

from regard.types import Tensor

from ..objective import Objective
from .several import Several


class Sharded(Several):
    """A share of every parameter, of its gradient and of the optimiser's state in each process.

    A block's parameters are gathered when it is computed and let go of after it; those of no block
    are whole from the beginning of a pass to its end. Zhao et al. 2023
    (https://arxiv.org/abs/2304.11277).

    Args:
        objective: what is trained; the same in all processes.
        device: where this one computes.
    """

    def __init__(self, objective: Objective[Any], device: torch.device) -> None:
        whole = copy.deepcopy(objective)  # on the CPU, for the first process to validate
        super().__init__(objective, device)
        self._whole = whole if self.first else None
        mesh = init_device_mesh(device.type, (self.count,))
        for block in self.own.blocks():
            block.register_forward_hook(_no_view)
            fully_shard(block, mesh=mesh)
        fully_shard(self.own, mesh=mesh)

    def clip(self, longest: float | None) -> Tensor:
        """Shorten the gradient to ``longest``, and give the length that it had."""
        length = super().clip(longest)
        return length.full_tensor() if isinstance(length, DTensor) else length

    @contextmanager
    def gathered(self) -> Iterator[Objective[Any]]:
        """Inside the block, the first process has the whole objective; all must enter it."""
        state = in_one_piece(self.own.state_dict(keep_vars=True), keep=self.first)
        if self._whole is None:
            yield self.own
            return
        self._whole.load_state_dict(state)
        try:
            yield self._whole.to(self.device).train(self.own.training)
        finally:
            self._whole.cpu()

    def whole(self, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        """Tensors that are spread over the processes, each in one piece for the first of them."""
        return in_one_piece(tensors, keep=self.first)

    def cut(self, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        """This process's pieces of the model's tensors."""
        return cut_alike(tensors, self.own.model.state_dict())

    def state_dict(self, optimiser: Optimizer) -> dict[str, Any]:
        """Everything learned, whole, for the first process to save; all must call it."""
        learned = {
            "objective": self.own.state_dict(keep_vars=True),
            "optimiser": optimiser.state_dict(),
        }
        return in_one_piece(learned, keep=self.first)

    def load_state_dict(self, state: dict[str, Any], optimiser: Optimizer) -> None:
        """Go on with what was learned, however many processes there were."""
        mine = cut_alike(state["objective"], self.own.state_dict())
        learned = state["optimiser"]
        parameters = [one for group in optimiser.param_groups for one in group["params"]]
        kept = {
            number: {name: cut_like(value, parameters[number]) for name, value in of_one.items()}
            for number, of_one in learned["state"].items()
        }
        super().load_state_dict(
            {**state, "objective": mine, "optimiser": {**learned, "state": kept}}, optimiser
        )


def _no_view(block: nn.Module, inputs: Any, output: Any) -> Any:
    """What a block gives, in memory of its own: torch watches for its gradient, and loses sight of
    a view that is changed in place."""
    return output.clone() if isinstance(output, Tensor) and output._is_view() else output


Tree = TypeVar("Tree")


def in_one_piece(tree: Tree, *, keep: bool) -> Tree:
    """A nested state without pieces, on the CPU; all processes must call it, with the same names.

    A tensor with two names, such as a tied one, stays one tensor.

    Args:
        tree: dicts, lists and tuples of tensors and of anything else.
        keep: whether this process wants it; the tensors of others are empty.
    """
    return cast(Tree, _Gathering(keep=keep).of(tree))


def cut_like(value: Any, like: Tensor) -> Any:
    """This process's piece of a whole tensor, cut as ``like`` is.

    Numbers, and tensors of another shape such as counters, are whole in every process.
    """
    if not isinstance(like, DTensor) or not isinstance(value, Tensor) or value.shape != like.shape:
        return value
    there = value.to(like.device)
    # Every process has the same numbers already, so that none needs to be sent.
    return distribute_tensor(there, like.device_mesh, like.placements, src_data_rank=None)


def cut_alike(whole: Mapping[str, Tensor], like: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The same of many tensors, name by name."""
    return {name: cut_like(value, like[name]) for name, value in whole.items() if name in like}


class _Gathering:
    def __init__(self, *, keep: bool) -> None:
        self._keep = keep
        # By identity, which is alike in all processes: they must gather the same tensors in a row.
        self._done: dict[int, tuple[Tensor, Tensor]] = {}

    def of(self, tree: Any) -> Any:
        if isinstance(tree, Tensor):
            return self._tensor(tree)
        if isinstance(tree, dict):
            return {name: self.of(value) for name, value in tree.items()}
        if isinstance(tree, list | tuple):
            return type(tree)(self.of(value) for value in tree)
        return tree

    def _tensor(self, tensor: Tensor) -> Tensor:
        if id(tensor) not in self._done:
            whole = tensor.detach()
            if isinstance(whole, DTensor):
                whole = whole.full_tensor()
            self._done[id(tensor)] = (tensor, whole.cpu() if self._keep else whole.new_empty(0))
        return self._done[id(tensor)][1]
