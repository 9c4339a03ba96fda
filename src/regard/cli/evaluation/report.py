"""All that ``regard evaluate`` found, to be shown or written."""

from typing import Any, NamedTuple

from regard.measures import AlignmentScore
from regard.tasks.translation.evaluation import Evaluation, Exam, Versus, record
from regard.tasks.translation.evaluation.record import alignment_record, versus_record


class Report(NamedTuple):
    """All that was found."""

    exam: Exam | None
    """``None`` where only links were scored."""
    systems: tuple[Evaluation, ...]
    versus: tuple[Versus, ...]
    links: tuple[tuple[str, AlignmentScore], ...]
    """Of aligners, and of models of both directions, by name."""

    def to_json(self) -> dict[str, Any]:
        """Of one system all about it, of several a list of them as ``models``."""
        systems = [record(one) for one in self.systems]
        found = systems[0] if len(systems) == 1 else {"models": systems}
        return found | {
            "test": self._test(),
            "versus": [versus_record(one) for one in self.versus],
            "links": [{"name": name, **alignment_record(score)} for name, score in self.links],
        }

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
