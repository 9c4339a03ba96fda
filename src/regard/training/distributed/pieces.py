"""Tensors of which every process has a piece, and the same in one piece."""

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from torch.distributed.tensor import DTensor, distribute_tensor

from regard.types import Tensor

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
