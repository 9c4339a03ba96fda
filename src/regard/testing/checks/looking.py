"""Check: the context depends on the keys at all."""

from functools import partial

import torch

from regard.types import Tensor

from ..subject import Subject
from .verdict import ABSOLUTE, fail


def looking(subject: Subject) -> None:
    """Some context depends on a key; in self attention, on another position."""
    inputs = subject.draw()
    before = subject.run(inputs).context
    for k in range(subject.sizes.num_keys):
        changed = inputs.map_keys(partial(_elsewhere, k=k))
        moved = (subject.run(changed).context - before).abs() > ABSOLUTE
        if subject.call.itself and moved.shape[1] == subject.sizes.num_keys:
            moved[:, k] = False
        if moved.any():
            return
    if subject.call.itself:
        fail("no context depends on any other position, so it does not attend to anything")
    fail("no context depends on any key, so it does not attend to anything")


def _elsewhere(x: Tensor, k: int) -> Tensor:
    """``x`` with other numbers at key ``k``."""
    twin = x.clone()
    twin[:, k] = 1 + torch.square(twin[:, k]) - twin[:, k]
    return twin
