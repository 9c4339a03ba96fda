"""What translators and aligners are tested on, and how: the words of ``regard evaluate``."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from regard.config import Config
from regard.errors import ChoiceError
from regard.extras import need
from regard.tasks.search import fitted

from ...evaluation import EvaluationConfig, Models
from ...search import SearchConfig

if TYPE_CHECKING:
    from regard.measures import Head, Rule

    from .report import Report


HEAD = re.compile(r"(\d+)\.(\d+)(?:\+(\d+))?")
"""Layer, head and shift, as they are typed."""


class LinkConfig(Config):
    """What attention is held against, and how it becomes links."""

    group: ClassVar[str] = "Alignment"

    alignments: str | None = None
    """Gold links of --data, '0-0 1?2' per line: - sure, ? or p possible, blank without gold."""
    counted_from: Literal[0, 1] | None = None
    """Number of the first word in --alignments: 0 as in Pharaoh, 1 as in HLT-NAACL 2003."""
    link_tokens: Literal["spaced", "split"] = "spaced"
    """What links count: what stands between spaces, or what regard data words prints."""
    links: tuple[str, ...] = ()
    """Files of links by an aligner, scored beside the models or instead of them."""
    links_counted_from: Literal[0, 1] | None = None
    """Number of the first word in --links."""
    rule: Literal["argmax", "intersection", "threshold"] = "argmax"
    """Link a word to what it looks at most, only if that is mutual, or all weights above
    --threshold."""
    threshold: float | None = None
    """Weight that a link must exceed."""
    heads: bool = False
    """Score every head of every layer too."""
    best_heads: int | None = Field(default=None, ge=1)
    """Look for so many heads at most whose mean links best, one after the other."""
    by_heads: tuple[str, ...] = ()
    """Link by the mean of these heads, e.g. 3.0 5.2+1: layer.head, +1 for the step that reads."""
    link_scores: Literal["attention", "value-norm", "gradient"] = "attention"
    """Read heads by their weights, by the length of what these carry, or by what it is worth."""
    reverse: str | None = None
    """A model of the other direction: words are linked as both models do."""
    symmetrise: Literal["intersection", "union", "grow-diag", "grow-diag-final"] = "intersection"
    """With --reverse, which links of both directions are taken."""

    def chosen_heads(self) -> "tuple[Head, ...]":
        """The heads that were named.

        Raises:
            ChoiceError: something else than layer.head or layer.head+shift.
        """
        from regard.measures import Head

        found = [HEAD.fullmatch(text) for text in self.by_heads]
        if None in found:
            wrong = self.by_heads[found.index(None)]
            raise ChoiceError(f"--by-heads needs layer.head, such as 3.0 or 5.2+1, got {wrong!r}")
        return tuple(Head(*(int(part or 0) for part in one.groups())) for one in found if one)

    def chosen_rule(self) -> "Rule":
        """The rule that was asked for.

        Raises:
            ChoiceError: a threshold without a number, or one that is no weight.
        """
        from regard.measures import Argmax, Intersection, Threshold

        rules: dict[str, type[Argmax | Intersection | Threshold]] = {
            "argmax": Argmax,
            "intersection": Intersection,
            "threshold": Threshold,
        }
        if self.rule == "threshold" and self.threshold is None:
            raise ChoiceError(
                "--rule threshold needs --threshold, the weight that a link must exceed"
            )
        given = {} if self.threshold is None else {"above": self.threshold}
        return fitted(rules[self.rule], **given)


class TranslationEvaluation(EvaluationConfig, LinkConfig, SearchConfig):
    """Measure translators on sentences held out, beside each other.

    BLEU and chrF of sacrebleu over all references with 95 % intervals, exact sentences, perplexity
    of the first reference, BLEU by length, alignment error rate against gold links, tokens per
    second. Of several systems each is compared with the first: the difference, and how probable
    one as large is between equals.
    """

    figure_of: ClassVar[str] = "BLEU by length"

    data: tuple[str, ...] = ()
    """A TSV, 'source ||| target', JSONL, or a source file and its references; .gz, - for stdin."""
    columns: tuple[int, int] | None = None
    """Columns of source and target in a TSV, counted from 1."""
    grammar: bool = False
    """Test on our own grammar, as happens to a model that was trained on it."""
    sentences: int | None = None
    """Of the grammar, how many; 1000 if not given."""
    max_words: int | None = None
    """Of the grammar, the longest, up to 60; as in training if not given."""
    hypotheses: tuple[str, ...] = ()
    """Files of translations, which are scored beside the models or instead of them."""
    edges: tuple[int, ...] = ()
    """Longest source of every bucket but the last, for BLEU by length, e.g. 5 10 15 20."""
    measure: tuple[Literal["rouge-l", "word-error", "phoneme-error"], ...] = ()
    """What else to measure: summaries by ROUGE-L, pronunciations by word and phoneme error."""
    typed: bool = False
    """Read sentences as regard translate does, with help for names and the like; as they are if not
    given."""

    def report(self, models: Models) -> "Report":
        """Everything about models, files of translations and files of links.

        Raises:
            ChoiceError: nothing to measure, or words that do not go together.
            InputError: bad data, named by file and line.
        """
        from .report import Report
        from .systems import exam_from, measured, scored_links, short

        if not models.names and not self.hypotheses:
            if not self.links:
                raise ChoiceError(
                    "evaluate needs something to measure: a model, --hypotheses with translations "
                    "or --links with alignments"
                )
            return Report(None, (), (), tuple(scored_links(self)))
        need("sacrebleu", "BLEU")  # before the minutes that end in it
        exam = exam_from(self, models)
        names = zip(short(models.names), models.names, strict=True)
        opened = ((name, models.predictor(place)) for name, place in names)
        return measured(self, exam, opened, models)

    def measured(self, predictors: Mapping[str, Any]) -> "Report":
        """The same of translators at hand; on our grammar where no file is named."""
        from .systems import exam_from, measured

        test = self if self.data else self.model_copy(update={"grammar": True})
        return measured(test, exam_from(test, Models(())), predictors.items(), Models(()))


EVALUATION = TranslationEvaluation
