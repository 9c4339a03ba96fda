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
        """Ready for ``json.dump``."""
        exam = self.exam
        return {
            "test": None
            if exam is None
            else {
                "sentences": len(exam.held_out),
                "references": exam.references,
                "linked": len(exam.linked),
                "skipped": exam.skipped,
            },
            "systems": [record(one) for one in self.systems],
            "versus": [versus_record(one) for one in self.versus],
            "links": [{"name": name, **alignment_record(score)} for name, score in self.links],
        }
