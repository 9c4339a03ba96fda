"""From a translator and sentences held out to numbers."""

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Literal, NamedTuple

from regard.decoding import BatchLimit, Limits
from regard.decoding.search import Strategy
from regard.errors import InputError
from regard.measures import (
    AlignmentScore,
    Bucket,
    Comparison,
    Head,
    Perplexity,
    Resampling,
    Rule,
    Score,
    best_head,
    bleu,
    by_length,
    chrf,
    compare_systems,
    exact,
)
from regard.tasks.translation import HeldOut
from regard.tasks.translation.predictor import Translator
from regard.tasks.translation.validation import text_score

from .alignments import LinkedPair, alignment_by_step, every_head, linked_pairs, looks_at
from .forced import perplexity_on
from .link_scores import LinkScores


class Speed(NamedTuple):
    """How fast it was."""

    tokens: int
    """Of the translations, their ends included."""
    seconds: float

    @property
    def per_second(self) -> float:
        """Tokens per second."""
        return self.tokens / self.seconds if self.seconds else 0.0


class Evaluation(NamedTuple):
    """Everything that was measured of one system."""

    name: str
    """What it is called in tables."""
    texts: tuple[str, ...]
    """Its translations."""
    bleu: Score
    """Of all references, by sacrebleu."""
    chrf: Score
    """Likewise."""
    exact: float
    """Share of the translations that equal a reference, from 0 to 1."""
    lengths: tuple[Bucket, ...]
    """BLEU by the length of the source, in words."""
    perplexity: Perplexity | None = None
    """Of the first references; ``None`` where there are texts only."""
    speed: Speed | None = None
    """Of translating; ``None`` where there are texts only."""
    alignment: Mapping[int, AlignmentScore] = {}
    """Of the alignment head, by the step that links are taken from: 0 predicts a word, 1 reads it.
    Empty without gold, and where a model does not look."""
    heads: Mapping[Head, AlignmentScore] = {}
    """Of every head, if asked for."""
    more: Mapping[str, float] = {}
    """Further measures of the texts, by their names, if asked for."""

    @property
    def aer(self) -> float | None:
        """Alignment error rate by the step that predicts a word; ``None`` without."""
        return self.alignment[0].aer if 0 in self.alignment else None

    @property
    def best_head(self) -> Head | None:
        """The head with the lowest alignment error rate; ``None`` without."""
        return best_head(self.heads) if self.heads else None


LONG, FINE, COARSE = 30, 5, 10
"""Buckets hold so many lengths, the coarse ones if a source has more than LONG words."""
RESAMPLING = Resampling()

Heads = Literal["alignment", "every"]
"""Whose alignment is scored."""


def evaluate(
    translator: Translator,
    held_out: Sequence[HeldOut],
    *,
    name: str = "",
    strategy: Strategy | None = None,
    limits: Limits | None = None,
    batch: BatchLimit | None = None,
    linked: Sequence[LinkedPair] | None = None,
    rule: Rule | None = None,
    heads: Heads = "alignment",
    link_scores: LinkScores = "attention",
    edges: Sequence[int] | None = None,
    measures: Sequence[str] = (),
    resampling: Resampling | None = RESAMPLING,
) -> Evaluation:
    """Everything about a translator: BLEU, chrF, exact, perplexity, AER, speed.

    Args:
        translator: a model with its vocabularies; it is left as it was.
        held_out: sentences with their references. The first reference is also read by the model,
            for the perplexity.
        name: what it is called in tables.
        strategy: how to search; greedily if not given.
        limits: how long a translation may become.
        batch: how much is translated at once.
        linked: pairs with gold links; those of ``held_out`` that have an alignment if not given.
        rule: which words attention links; without it each target word to the source word it looks
            at most.
        heads: whose alignment is scored: that of the alignment head, or of every head too.
        link_scores: what every head is read by.
        edges: the longest length of every bucket but the last; see :func:`edges_for`.
        measures: further ones of the texts: ``rouge-l``, ``word-error``, ``phoneme-error``.
        resampling: how to find confidence intervals; ``None`` does without.

    Raises:
        InputError: no sentence, or one without a reference.
    """
    if not held_out:
        raise InputError("an evaluation needs at least one sentence, got none")
    start = perf_counter()
    sources = [one.source for one in held_out]
    found = translator.translate(sources, strategy=strategy, limits=limits, batch=batch)
    seconds = perf_counter() - start
    texts = [one.text for one in found]
    scored = evaluate_texts(
        texts, held_out, name=name, edges=edges, measures=measures, resampling=resampling
    )
    tokens = sum(len(one.target_tokens) + 1 for one in found)
    pairs = linked_pairs(held_out) if linked is None else linked
    looks = bool(pairs) and looks_at(translator, pairs[0])
    return scored._replace(
        perplexity=perplexity_on(translator, [(one.source, one.references[0]) for one in held_out]),
        speed=Speed(tokens, seconds),
        alignment=alignment_by_step(translator, pairs, rule=rule) if looks else {},
        heads=every_head(translator, pairs, rule=rule, by=link_scores)
        if looks and heads == "every"
        else {},
    )


def evaluate_texts(
    texts: Sequence[str],
    held_out: Sequence[HeldOut],
    *,
    name: str = "",
    edges: Sequence[int] | None = None,
    measures: Sequence[str] = (),
    resampling: Resampling | None = RESAMPLING,
) -> Evaluation:
    """What can be said of translations alone, whoever made them.

    Args:
        texts: one for every sentence.
        held_out: the sentences with their references.
        name: whose they are.
        edges: the longest length of every bucket but the last; see :func:`edges_for`.
        measures: further ones of the texts: ``rouge-l``, ``word-error``, ``phoneme-error``.
        resampling: how to find confidence intervals; ``None`` does without.

    Raises:
        ShapeError: more texts than sentences, or fewer.
        InputError: no sentence, or one without a reference.
    """
    references = [one.references for one in held_out]
    sources = [one.source for one in held_out]
    chosen = edges_for(sources) if edges is None else edges
    return Evaluation(
        name=name,
        texts=tuple(texts),
        bleu=bleu(texts, references, resampling=resampling),
        chrf=chrf(texts, references, resampling=resampling),
        exact=exact(texts, references),
        lengths=tuple(by_length(texts, references, sources, edges=chosen)),
        more={each: text_score(each, texts, references) for each in measures},
    )


def edges_for(sources: Sequence[str]) -> tuple[int, ...]:
    """Edges of buckets that suit these sources: every ten words, every five for short ones."""
    longest = max((len(source.split()) for source in sources), default=0)
    width = COARSE if longest > LONG else FINE
    last = min(longest, 6 * width)
    return tuple(range(width, max(last, width) + 1, width))


class PairedComparison(NamedTuple):
    """A system beside the first one."""

    first: str
    second: str
    bleu: Comparison
    """What the second is ahead of the first."""
    chrf: Comparison


def compare(
    evaluations: Sequence[Evaluation],
    held_out: Sequence[HeldOut],
    *,
    resampling: Resampling | None = None,
) -> tuple[PairedComparison, ...]:
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
        PairedComparison(
            first.name,
            other.name,
            compare_systems(first.texts, other.texts, references, resampling=resampling),
            compare_systems(
                first.texts, other.texts, references, metric="chrF2", resampling=resampling
            ),
        )
        for other in others
    )


against, Versus = compare, PairedComparison
"""Their names of before."""
