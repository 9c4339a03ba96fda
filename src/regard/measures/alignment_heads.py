"""Which heads of a model align words: found one after the other, on sentences with gold."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch

from regard.errors import InputError, RangeError
from regard.types import Float, Tensor

from .alignment import AlignmentScore, sentence_score
from .extract import Argmax, Head, HeadWeights, Rule, as_links, word_weights


class AlignmentHeads(NamedTuple):
    """Some heads whose mean aligns words."""

    heads: tuple[Head, ...]
    """In the order in which they were taken: the best alone first."""
    scores: tuple[AlignmentScore, ...]
    """Of the mean of the first head, of the first two, …"""

    @property
    def score(self) -> AlignmentScore:
        """Of the mean of all of them."""
        return self.scores[-1]


class _Words(NamedTuple):
    """A sentence in words."""

    table: Float[Tensor, "N J I"]
    gold: HeadWeights


def alignment_heads(
    sentences: Sequence[HeadWeights],
    k: int = 5,
    *,
    rule: Rule | None = None,
    shifts: Sequence[int] = (0, 1),
) -> AlignmentHeads:
    """The ``k`` heads at most whose mean has the lowest alignment error rate, greedily.

    The best head first, then each time the one that lowers the error rate of the mean most; it ends
    early when none does. What generation configs of speech models call ``alignment_heads``.

    Args:
        sentences: weights of every head of every layer, and gold.
        k: heads at most.
        rule: which words are linked by the mean; without it the arg max.
        shifts: rows that are tried, see :func:`regard.measures.word_weights`.

    Raises:
        InputError: no sentence.
        RangeError: no head asked for.
    """
    if not sentences:
        raise InputError("alignment_heads needs sentences with gold links, got none")
    if k < 1:
        raise RangeError(f"alignment_heads needs k of at least 1, got {k}")
    read, heads = _read(sentences, shifts)
    chosen: list[int] = []
    scores: list[AlignmentScore] = []
    while len(chosen) < min(k, len(heads)):
        tried = {
            number: _score(read, [*chosen, number], rule or Argmax())
            for number in range(len(heads))
            if number not in chosen
        }
        best = min(tried, key=lambda number: (tried[number].aer, number))
        if scores and tried[best].aer >= scores[-1].aer:
            break
        chosen.append(best)
        scores.append(tried[best])
    return AlignmentHeads(tuple(heads[number] for number in chosen), tuple(scores))


def mean_weights(weights: Float[Tensor, "L H T S"], heads: Sequence[Head]) -> Float[Tensor, "T S"]:
    """The mean of some heads, each moved by its shift; rows that a shift lacks are zero."""
    moved = []
    for layer, head, shift in heads:
        own = weights[layer, head]
        moved.append(torch.nn.functional.pad(own[shift:], (0, 0, 0, shift)))
    return torch.stack(moved).mean(dim=0)


def _read(
    sentences: Sequence[HeadWeights], shifts: Sequence[int]
) -> tuple[list[_Words], list[Head]]:
    """Word by word, heads one below the other."""
    layers, heads = sentences[0].weights.shape[:2]
    names = [
        Head(layer, head, shift)
        for shift in shifts
        for layer in range(layers)
        for head in range(heads)
    ]
    read = [
        _Words(
            torch.cat(
                [
                    word_weights(one.weights, source=one.source, target=one.target, shift=shift)
                    for shift in shifts
                ]
            ).flatten(0, 1),
            one,
        )
        for one in sentences
    ]
    return read, names


def _score(read: Sequence[_Words], chosen: Sequence[int], rule: Rule) -> AlignmentScore:
    total = AlignmentScore()
    for table, sentence in read:
        linked = rule.link(table[list(chosen)].mean(dim=0))
        total = total + sentence_score(as_links(linked), sentence.gold)
    return total


def best_rule(
    sentences: Sequence[HeadWeights], rules: Mapping[str, Rule], heads: Sequence[Head]
) -> dict[str, AlignmentScore]:
    """The score of some heads' mean under every rule, by its name."""
    found = {}
    for name, rule in rules.items():
        total = AlignmentScore()
        for one in sentences:
            mean = mean_weights(one.weights, heads)
            table = word_weights(mean, source=one.source, target=one.target)
            total = total + sentence_score(as_links(rule.link(table)), one.gold)
        found[name] = total
    return found
