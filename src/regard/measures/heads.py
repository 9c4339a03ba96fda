"""Alignment scores of attention heads, and which head aligns best."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from regard.data.alignment import Side
from regard.errors import InputError, ShapeError
from regard.types import Float, Tensor

from .alignment import AlignmentScore, Gold, sentence_score
from .extract import as_links, word_weights
from .rules import Argmax, Rule


class Head(NamedTuple):
    """Where an alignment is taken from."""

    layer: int
    """Counted from 0."""
    head: int
    """Counted from 0."""
    shift: int = 0
    """Steps behind the one that predicts a token; see :func:`word_weights`."""


class HeadWeights(NamedTuple):
    """A sentence pair as all heads of a model look at it, and as people do."""

    weights: Float[Tensor, "L H T S"]
    source: Side
    target: Side
    gold: Gold


def head_scores(
    sentences: Iterable[HeadWeights], *, rule: Rule | None = None, shifts: Sequence[int] = (0,)
) -> dict[Head, AlignmentScore]:
    """The alignment score of every head over all sentences, one sentence in memory at a time.

    Args:
        sentences: weights and gold.
        rule: which words are linked; without it :class:`Argmax`.
        shifts: each is tried; ``(0, 1)`` finds out whether a model aligns a token when it
            predicts it or when it reads it.

    Raises:
        InputError: no sentence.
        ShapeError: sentences with different numbers of layers or heads.
    """
    scores: dict[Head, AlignmentScore] = {}
    for sentence in sentences:
        found = _of_sentence(sentence, rule or Argmax(), shifts)
        if scores and scores.keys() != found.keys():
            raise ShapeError(
                f"all sentences need weights of the same heads, got {len(scores)} (layer, head, "
                f"shift) before and {len(found)} of weights {tuple(sentence.weights.shape)}"
            )
        scores = {head: scores.get(head, AlignmentScore()) + found[head] for head in found}
    if not scores:
        raise InputError("a search for the best head needs sentences with gold links, got none")
    return scores


def best_head(scores: Mapping[Head, AlignmentScore]) -> Head:
    """The head with the lowest error rate; of equal ones the first layer, then the first head."""
    return min(sorted(scores), key=lambda head: scores[head].aer)


def _of_sentence(
    sentence: HeadWeights, rule: Rule, shifts: Sequence[int]
) -> dict[Head, AlignmentScore]:
    weights, source, target, gold = sentence
    found: dict[Head, AlignmentScore] = {}
    for shift in shifts:
        linked = rule.link(word_weights(weights, source=source, target=target, shift=shift))
        for layer, heads in enumerate(linked):
            for head, table in enumerate(heads):
                found[Head(layer, head, shift)] = sentence_score(as_links(table), gold)
    return found
