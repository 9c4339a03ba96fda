"""How good a translator is: quality of its translations, perplexity, alignment.

>>> exam = read_exam("test.tsv", gold="test.gold")
>>> found = evaluate(load_translator(Path("run")), exam.held_out, linked=exam.linked)
>>> print(found.bleu, found.perplexity.per_word, found.alignment[0].aer)

Names are loaded when first used: who draws a given translation needs no measure.
"""

from typing import TYPE_CHECKING

HOMES = {
    "LinkedPair": "alignments",
    "alignments": "alignments",
    "alignment_by_step": "alignments",
    "every_head": "alignments",
    "flipped": "alignments",
    "linked_by": "alignments",
    "linked_pairs": "alignments",
    "looks_at": "alignments",
    "PairedComparison": "evaluate",
    "compare": "evaluate",
    "evaluate": "evaluate",
    "evaluate_texts": "evaluate",
    "Evaluation": "evaluate",
    "Speed": "evaluate",
    "Exam": "exam",
    "grammar_exam": "exam",
    "read_exam": "exam",
    "TeacherForced": "forced",
    "perplexity_on": "forced",
    "teacher_forced": "forced",
    "EVALUATION": "config",
    "Report": "report",
    "record": "record",
}
"""The module of each public name."""
EARLIER = {
    "by_shift": "alignments",
    "Versus": "evaluate",
    "against": "evaluate",
    "Forced": "forced",
    "forced": "forced",
    "surprise": "forced",
}
"""Names of before, for those who import them."""
__all__ = sorted(HOMES)

if TYPE_CHECKING:
    from .alignments import LinkedPair as LinkedPair
    from .alignments import alignment_by_step as alignment_by_step
    from .alignments import alignments as alignments
    from .alignments import every_head as every_head
    from .alignments import flipped as flipped
    from .alignments import linked_by as linked_by
    from .alignments import linked_pairs as linked_pairs
    from .alignments import looks_at as looks_at
    from .config import EVALUATION as EVALUATION
    from .evaluate import Evaluation as Evaluation
    from .evaluate import PairedComparison as PairedComparison
    from .evaluate import Speed as Speed
    from .evaluate import compare as compare
    from .evaluate import evaluate as evaluate
    from .evaluate import evaluate_texts as evaluate_texts
    from .exam import Exam as Exam
    from .exam import grammar_exam as grammar_exam
    from .exam import read_exam as read_exam
    from .forced import TeacherForced as TeacherForced
    from .forced import perplexity_on as perplexity_on
    from .forced import teacher_forced as teacher_forced
    from .record import record as record
    from .report import Report as Report
else:
    from regard.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(__name__, HOMES | EARLIER)
