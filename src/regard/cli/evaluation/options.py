"""The words of ``regard evaluate``."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Group, Parameter

from ...errors import ChoiceError
from ..flags import Options, Several, Switch

if TYPE_CHECKING:
    from regard.measures import Resampling, Rule

TEST = Group("Test", sort_key=1)
LINKS = Group("Alignment", sort_key=2)


@Parameter(name="*", group=TEST)
@dataclass(frozen=True, kw_only=True)
class ExamOptions(Options):
    """What systems are tested on."""

    data: Annotated[tuple[str, ...], Several] = ()
    """A TSV, 'source ||| target', JSONL, or a source file and its references; .gz, - for stdin."""
    columns: tuple[int, int] | None = None
    """Columns of source and target in a TSV, counted from 1."""
    grammar: Switch = False
    """Test on our own grammar, as happens to a model that was trained on it."""
    sentences: int | None = None
    """Of the grammar, how many; 1000 if not given."""
    max_words: int | None = None
    """Of the grammar, the longest, up to 60; as in training if not given."""
    hypotheses: Annotated[tuple[str, ...], Several] = ()
    """Files of translations, which are scored beside the models or instead of them."""
    edges: Annotated[tuple[int, ...], Several] = ()
    """Longest source of every bucket but the last, for BLEU by length, e.g. 5 10 15 20."""
    measure: Annotated[tuple[Literal["rouge-l", "word-error", "phoneme-error"], ...], Several] = ()
    """What else to measure: summaries by ROUGE-L, pronunciations by word and phoneme error."""
    typed: Switch = False
    """Read sentences as regard translate does, with help for names and the like; as they are if not
    given."""
    samples: int = 1000
    """How often the test is drawn again for intervals and comparisons; 0 does without."""

    def resampling(self) -> "Resampling | None":
        """How to find intervals; ``None`` does without.

        Raises:
            ChoiceError: a negative number.
        """
        from regard.measures import Resampling

        from ..translation.options import fitted

        return fitted(Resampling, samples=self.samples) if self.samples else None


@Parameter(name="*", group=LINKS)
@dataclass(frozen=True, kw_only=True)
class LinkOptions(Options):
    """What attention is held against, and how it becomes links."""

    alignments: str | None = None
    """Gold links of --data, '0-0 1?2' per line: - sure, ? or p possible, blank without gold."""
    counted_from: Literal[0, 1] | None = None
    """Number of the first word in --alignments: 0 as in Pharaoh, 1 as in HLT-NAACL 2003."""
    link_tokens: Literal["spaced", "split"] = "spaced"
    """What links count: what stands between spaces, or what regard data words prints."""
    links: Annotated[tuple[str, ...], Several] = ()
    """Files of links by an aligner, scored beside the models or instead of them."""
    links_counted_from: Literal[0, 1] | None = None
    """Number of the first word in --links."""
    rule: Literal["argmax", "intersection", "threshold"] = "argmax"
    """Link a word to what it looks at most, only if that is mutual, or all weights above
    --threshold."""
    threshold: float | None = None
    """Weight that a link must exceed."""
    heads: Switch = False
    """Score every head of every layer too."""
    reverse: str | None = None
    """A model of the other direction: words are linked where both models do."""

    def chosen_rule(self) -> "Rule":
        """The rule that was asked for.

        Raises:
            ChoiceError: a threshold without a number, or one that is no weight.
        """
        from regard.measures import Argmax, Intersection, Threshold

        from ..translation.options import fitted

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
