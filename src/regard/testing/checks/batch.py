"""Sequences of a batch do not know of each other."""

from ..call import Inputs
from ..subject import Subject
from .verdict import fail, gap, same


def batch(subject: Subject) -> None:
    """Each sequence alone gives what it gives in the batch."""
    allowed = None if subject.call.masks == "none" else subject.padding()
    inputs = subject.draw(allowed)
    together = subject.run(inputs).context
    if together.shape[0] != subject.sizes.batch:
        fail(
            f"the context needs the batch as its first axis, {subject.sizes.batch}, got "
            f"{tuple(together.shape)}"
        )
    for i in range(subject.sizes.batch):
        alone = subject.run(only(inputs, i, itself=subject.call.itself)).context[0]
        if not same(alone, together[i]):
            fail(
                f"sequence {i} alone and in a batch of {subject.sizes.batch} differ "
                f"{gap(alone, together[i])}: no mean or norm may go over the batch"
            )


def only(inputs: Inputs, i: int, *, itself: bool) -> Inputs:
    """A batch of the one sequence ``i``."""
    query, key, value, allowed = inputs
    one = query[i : i + 1]
    mask = None if allowed is None else allowed[i : i + 1]
    if itself:
        return Inputs(one, one, one, mask)
    keys = key[i : i + 1]
    return Inputs(one, keys, keys if value is key else value[i : i + 1], mask)
