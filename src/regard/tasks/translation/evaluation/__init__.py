"""How good a translator is: its translations, its surprise, its alignment.

>>> exam = read_exam("test.tsv", gold="test.gold")
>>> found = evaluate(load_translator(Path("run")), exam.held_out, linked=exam.linked)
>>> print(found.bleu, found.perplexity.per_word, found.alignment[0].aer)

Names are loaded when first used: who draws a given translation needs no measure.
"""

from typing import TYPE_CHECKING

HOMES = {
    "LinkedPair": "alignments",
    "alignments": "alignments",
    "by_shift": "alignments",
    "every_head": "alignments",
    "flipped": "alignments",
    "linked_by": "alignments",
    "linked_pairs": "alignments",
    "looks_at": "alignments",
    "Versus": "evaluate",
    "against": "evaluate",
    "evaluate": "evaluate",
    "evaluate_texts": "evaluate",
    "Evaluation": "evaluate",
    "Speed": "evaluate",
    "Exam": "exam",
    "grammar_exam": "exam",
    "read_exam": "exam",
    "Forced": "forced",
    "forced": "forced",
    "surprise": "forced",
    "EVALUATION": "config",
    "Report": "report",
    "record": "record",
}
"""The module of each public name."""
__all__ = sorted(HOMES)

if TYPE_CHECKING:
    from .alignments import LinkedPair as LinkedPair
    from .alignments import alignments as alignments
    from .alignments import by_shift as by_shift
    from .alignments import every_head as every_head
    from .alignments import flipped as flipped
    from .alignments import linked_by as linked_by
    from .alignments import linked_pairs as linked_pairs
    from .alignments import looks_at as looks_at
    from .config import EVALUATION as EVALUATION
    from .evaluate import Evaluation as Evaluation
    from .evaluate import Speed as Speed
    from .evaluate import Versus as Versus
    from .evaluate import against as against
    from .evaluate import evaluate as evaluate
    from .evaluate import evaluate_texts as evaluate_texts
    from .exam import Exam as Exam
    from .exam import grammar_exam as grammar_exam
    from .exam import read_exam as read_exam
    from .forced import Forced as Forced
    from .forced import forced as forced
    from .forced import surprise as surprise
    from .record import record as record
    from .report import Report as Report
else:
    from regard.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(__name__, HOMES)
