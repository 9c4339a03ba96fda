"""It looks at something."""

import torch

from regard.types import Tensor

from ..call import Inputs
from ..subject import Subject
from .verdict import ABSOLUTE, fail


def looking(subject: Subject) -> None:
    """Some context depends on a key; in self attention, on another position."""
    inputs = subject.draw()
    before = subject.run(inputs).context
    for k in range(subject.sizes.num_keys):
        moved = (subject.run(_changed(subject, inputs, k)).context - before).abs() > ABSOLUTE
        if subject.call.itself and moved.shape[1] == subject.sizes.num_keys:
            moved[:, k] = False
        if moved.any():
            return
    if subject.call.itself:
        fail("no context depends on any other position, so it does not attend to anything")
    fail("no context depends on any key, so it does not attend to anything")


def _changed(subject: Subject, inputs: Inputs, k: int) -> Inputs:
    """The inputs with key ``k`` and its value changed, and nothing else."""
    query, key, value, allowed = inputs
    new_key = _elsewhere(key, k)
    if subject.call.itself:
        return Inputs(new_key, new_key, new_key, allowed)
    return Inputs(query, new_key, new_key if value is key else _elsewhere(value, k), allowed)


def _elsewhere(x: Tensor, k: int) -> Tensor:
    twin = x.clone()
    twin[:, k] = 1 + torch.square(twin[:, k]) - twin[:, k]
    return twin
