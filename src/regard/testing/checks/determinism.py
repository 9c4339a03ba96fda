"""Check: two calls at eval are equal."""

from ..subject import Subject
from .verdict import fail, gap


def determinism(subject: Subject) -> None:
    """At eval, two fresh copies give one answer, to the bit."""
    inputs = subject.draw()
    one, two = subject.run(inputs).context, subject.run(inputs).context
    if one.shape != two.shape or not one.equal(two):
        both_nan = one.shape == two.shape and one.nan_to_num().equal(two.nan_to_num())
        if both_nan:
            fail("the context of ordinary inputs has NaN")
        fail(
            f"two calls with the same inputs differ {gap(one, two)} at eval: drop weights and draw "
            "samples only where self.training"
        )
