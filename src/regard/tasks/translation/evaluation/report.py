"""Translators beside each other: all that was found, and the task's answer to ``evaluate``."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from regard.measures import AlignmentScore, Resampling

from .evaluate import Evaluation, Versus, against, evaluate
from .exam import Exam, grammar_exam, read_exam
from .record import alignment_record, record, versus_record


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


def evaluation(
    predictors: Mapping[str, Any],
    data: Sequence[str] = (),
    *,
    columns: Sequence[str | int] = (),
    sentences: int = 1000,
    resampling: Resampling | None = None,
) -> Report:
    """Translators by name on the same sentences, searched greedily.

    Args:
        predictors: translators by name.
        data: files of sentences and their references; our grammar if there is none.
        columns: of source and target, counted from 1.
        sentences: of the grammar.
        resampling: how to find intervals and differences; there are none without it.

    Raises:
        InputError: bad data, named by file and line.
    """
    chosen = (int(columns[0]), int(columns[1])) if len(columns) == 2 else None
    exam = read_exam(*data, columns=chosen) if data else grammar_exam(sentences=sentences)
    systems = tuple(
        evaluate(one, exam.held_out, name=name, linked=exam.linked, resampling=resampling)
        for name, one in predictors.items()
    )
    versus = against(systems, exam.held_out, resampling=resampling) if resampling else ()
    return Report(exam, systems, versus, ())


EVALUATION = evaluation
