"""Several systems on one test: which is better, and is it luck."""

from collections.abc import Sequence
from typing import NamedTuple

from regard.measures import Comparison, Resampling, compare_systems
from regard.tasks.translation import HeldOut

from .evaluation import Evaluation


class Versus(NamedTuple):
    """A system beside the first one."""

    first: str
    second: str
    bleu: Comparison
    """What the second is ahead of the first."""
    chrf: Comparison


def against(
    evaluations: Sequence[Evaluation],
    held_out: Sequence[HeldOut],
    *,
    resampling: Resampling | None = None,
) -> tuple[Versus, ...]:
    """Every system but the first, compared with the first on the same sentences.

    See :func:`regard.measures.compare_systems`.

    Args:
        evaluations: of systems that translated ``held_out``.
        held_out: sentences with their references.
        resampling: how often and with which seed; without it 1000 times.

    Raises:
        ShapeError: a system translated more sentences, or fewer.
    """
    references = [one.references for one in held_out]
    first, *others = evaluations
    return tuple(
        Versus(
            first.name,
            other.name,
            compare_systems(first.texts, other.texts, references, resampling=resampling),
            compare_systems(
                first.texts, other.texts, references, metric="chrF2", resampling=resampling
            ),
        )
        for other in others
    )
