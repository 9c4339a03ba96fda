"""Check: sequences of a batch are independent."""

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
        alone = subject.run(one_sequence(inputs, i)).context[0]
        if not same(alone, together[i]):
            fail(
                f"sequence {i} alone and in a batch of {subject.sizes.batch} differ "
                f"{gap(alone, together[i])}: no mean or norm may go over the batch"
            )


def one_sequence(inputs: Inputs, i: int) -> Inputs:
    """A batch of the one sequence ``i``."""
    allowed = None if inputs.allowed is None else inputs.allowed[i : i + 1]
    return inputs.map(lambda x: x[i : i + 1])._replace(allowed=allowed)
