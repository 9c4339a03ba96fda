"""The shape that shapes broadcast to."""

from collections.abc import Sequence

import torch


def broadcast_shapes(*shapes: Sequence[int]) -> torch.Size:
    """What :func:`torch.broadcast_shapes` gives, and raises.

    Differs in cost: the first call of torch's own imports a library for symbolic algebra, which
    takes longer than to translate a sentence.
    """
    first, *others = map(tuple, shapes)
    if all(other == first for other in others):
        return torch.Size(first)
    scalar = torch.empty(())
    return torch.broadcast_tensors(*(scalar.expand(shape) for shape in shapes))[0].shape
