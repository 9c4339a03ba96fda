"""How well attention aligns words, with a translation that people aligned."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from regard.data.alignment import Side, side
from regard.data.pairs import Links
from regard.errors import InputError
from regard.measures import (
    AlignmentScore,
    Gold,
    Head,
    HeadWeights,
    Rule,
    alignment_score,
    head_scores,
    word_links,
)
from regard.tasks.translation import HeldOut
from regard.tasks.translation.predictor import Translator
from regard.types import Tensor

from .forced import Asked, teacher_forced
from .link_scores import LinkScores

SHIFTS = (0, 1)
"""Words are aligned by the step that predicts them, or by the next one, which reads them."""


class LinkedPair(NamedTuple):
    """A sentence, its translation, and the links that people drew."""

    source: str
    target: str
    gold: Gold
    source_words: tuple[str, ...] | None = None
    """The words that the links count; ``None``: split at spaces."""
    target_words: tuple[str, ...] | None = None


def linked_pairs(held_out: Iterable[HeldOut]) -> list[LinkedPair]:
    """The pairs that have gold, all of whose links are sure."""
    return [
        LinkedPair(
            one.source, one.references[0], Gold(one.alignment), one.source_words, one.target_words
        )
        for one in held_out
        if one.alignment is not None
    ]


def flipped(pair: LinkedPair) -> LinkedPair:
    """The pair as a model of the other direction reads it."""
    gold = Gold(*[frozenset((j, i) for i, j in links) for links in pair.gold])
    return LinkedPair(pair.target, pair.source, gold, pair.target_words, pair.source_words)


def looks_at(translator: Translator, pair: LinkedPair) -> bool:
    """Whether the model tells where it looks while it reads a pair."""
    (one,) = teacher_forced(translator, [pair[:2]], asked="alignment")
    return one.weights is not None


def linked_by(
    translator: Translator,
    pairs: Sequence[LinkedPair],
    *,
    rule: Rule | None = None,
    shift: int = 0,
) -> list[Links]:
    """Which words a model's alignment head links, of every pair.

    Args:
        translator: a model with its vocabularies.
        pairs: translations that it is made to read.
        rule: which words are linked; without it each target word to the source word it looks at
            most.
        shift: 0 takes the step that predicts a token, 1 the one that reads it.

    Raises:
        InputError: the model does not look at its source.
    """
    found: list[Links] = [frozenset()] * len(pairs)
    for number, weights, source, target in _attended(translator, pairs, "alignment"):
        found[number] = word_links(
            weights[0, 0], source=source, target=target, rule=rule, shift=shift
        )
    return found


def alignment_by_step(
    translator: Translator,
    pairs: Sequence[LinkedPair],
    *,
    rule: Rule | None = None,
    shifts: Sequence[int] = SHIFTS,
) -> dict[int, AlignmentScore]:
    """The score of a model's alignment head, by the step that its links are taken from.

    Raises:
        InputError: no pair, or a model that does not look at its source.
    """
    scores = _scores(translator, pairs, "alignment", rule, shifts)
    return {head.shift: score for head, score in scores.items()}


def every_head(
    translator: Translator,
    pairs: Sequence[LinkedPair],
    *,
    rule: Rule | None = None,
    shifts: Sequence[int] = SHIFTS,
    by: LinkScores = "attention",
) -> dict[Head, AlignmentScore]:
    """The score of every head of every layer that looks at the source.

    A model with one attention has one head. The best: :func:`regard.measures.best_head`.

    Raises:
        InputError: no pair, or a model that does not look at its source.
    """
    return head_scores(weights_of(translator, pairs, by=by), rule=rule, shifts=shifts)


def weights_of(
    translator: Translator, pairs: Sequence[LinkedPair], *, by: LinkScores = "attention"
) -> list[HeadWeights]:
    """What every head of every layer makes of every pair, with its gold.

    Raises:
        InputError: a model that does not look at its source.
        ChoiceError: one whose heads cannot be read by anything but weights.
    """
    return [
        HeadWeights(weights, source, target, pairs[number].gold)
        for number, weights, source, target in _attended(translator, pairs, "heads", by)
    ]


def alignments(links: Sequence[Links], pairs: Sequence[LinkedPair]) -> AlignmentScore:
    """The score of links that somebody else found, an aligner or a model of each direction.

    Raises:
        ShapeError: links of more pairs, or of fewer.
    """
    return alignment_score(links, [pair.gold for pair in pairs])


def _scores(
    translator: Translator,
    pairs: Sequence[LinkedPair],
    asked: Asked,
    rule: Rule | None,
    shifts: Sequence[int],
) -> dict[Head, AlignmentScore]:
    sentences = (
        HeadWeights(weights, source, target, pairs[number].gold)
        for number, weights, source, target in _attended(translator, pairs, asked)
    )
    return head_scores(sentences, rule=rule, shifts=shifts)


def _attended(
    translator: Translator,
    pairs: Sequence[LinkedPair],
    asked: Asked,
    by: LinkScores = "attention",
) -> Iterator[tuple[int, Tensor, Side, Side]]:
    """Number, weights and both sides of every pair."""
    longest = translator.longest
    for one in teacher_forced(translator, [pair[:2] for pair in pairs], asked=asked, by=by):
        if one.weights is None:
            raise InputError(
                f"an alignment needs a model that looks at its source, "
                f"{type(translator.model).__name__} does not"
            )
        pair, (source, target) = pairs[one.number], translator.vocabularies
        yield (
            one.number,
            one.weights,
            _read_part(side(source, pair.source, pair.source_words), longest),
            _read_part(side(target, pair.target, pair.target_words), longest),
        )


def _read_part(text: Side, longest: int) -> Side:
    """The tokens that were read; words behind them have none."""
    return Side(text.pieces[:longest], text.words)


by_shift = alignment_by_step
"""Its name of before."""
