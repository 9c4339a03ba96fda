"""Check: a causal module never looks ahead."""

from functools import partial

import torch

from regard.types import Bool, Tensor

from ..subject import Subject
from .verdict import ABSOLUTE, fail, first, number, skip


def causality(subject: Subject) -> None:
    """A later position never changes an earlier context."""
    if not subject.call.itself:
        skip("only self attention has later positions")
    if not subject.causal and subject.call.masks != "pairs":
        skip("it is not causal, and takes no mask by pairs that would make it so")
    inputs = subject.draw(None if subject.causal else lower(subject.sizes.num_keys, subject))
    before = subject.run(inputs).context
    for t in range(1, subject.sizes.num_keys):
        after = subject.run(inputs.map(partial(change_position, t=t))).context
        moved = (after - before)[:, :t].abs().flatten(2).amax(dim=2) > ABSOLUTE  # (B, t)
        if moved.any():
            b, q = first(moved)
            by = number((after - before)[b, q].abs().max())
            cure = "k ≤ q may attend" if subject.causal else "mask[q, k] is of query q and key k"
            fail(f"position {q} changes by {by} when only the later position {t} changes: {cure}")


def change_position(x: Tensor, t: int) -> Tensor:
    """Other numbers at position ``t``."""
    twin = x.clone()
    twin[:, t] = x[:, t] + 1 + x[:, t] ** 2
    return twin


def lower(length: int, subject: Subject) -> Bool[Tensor, "B Q K"]:
    """Each position may see itself and what comes before."""
    return torch.ones(length, length).tril().bool().expand(subject.sizes.batch, -1, -1)
