"""Translators beside each other: all that was found."""

from typing import TYPE_CHECKING, Any, NamedTuple

from regard.errors import ChoiceError
from regard.measures import AlignmentScore

from ...reporting import one_or_several
from .evaluate import Evaluation, PairedComparison
from .exam import Exam
from .record import alignment_record, record, versus_record

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType


class Report(NamedTuple):
    """All that was found."""

    exam: Exam | None
    """``None`` where only links were scored."""
    systems: tuple[Evaluation, ...]
    versus: tuple[PairedComparison, ...]
    links: tuple[tuple[str, AlignmentScore], ...]
    """Of aligners, and of models of both directions, by name."""

    def to_json(self) -> dict[str, Any]:
        """Of one system all about it, of several a list of them as ``models``."""
        return one_or_several(
            [record(one) for one in self.systems],
            test=self._test(),
            versus=[versus_record(one) for one in self.versus],
            links=[{"name": name, **alignment_record(score)} for name, score in self.links],
        )

    def __rich__(self) -> "RenderableType":
        """Tables, the most important first."""
        from rich.console import Group

        from .tables import tables

        return Group(*tables(self))

    def figure(self) -> "Figure":
        """BLEU by length, a curve for each system.

        Raises:
            ChoiceError: no system was measured, only links.
            MissingExtraError: matplotlib is not installed.
        """
        from ..figures import length_curves

        if not self.systems:
            raise ChoiceError("--figure draws BLEU by length, and there are only links")
        return length_curves({one.name: one.lengths for one in self.systems})

    def _test(self) -> dict[str, int] | None:
        exam = self.exam
        if exam is None:
            return None
        return {
            "sentences": len(exam.held_out),
            "references": exam.references,
            "linked": len(exam.linked),
            "skipped": exam.skipped,
        }
