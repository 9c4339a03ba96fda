"""The search for the head that aligns best."""

import pytest
import torch

from regard.data.alignment import side
from regard.data.vocabulary import Characters
from regard.errors import InputError, ShapeError
from regard.measures import (
    AlignmentScore,
    Gold,
    Head,
    HeadWeights,
    Threshold,
    alignment_score,
    best_head,
    head_scores,
    word_links,
)

CHARACTERS = Characters(sorted(set(" abcdefghij")))
TEXTS = [("a b c", "d ef"), ("gh", "i j"), ("ab cd", "e f g")]
GOLD = [
    Gold(frozenset({(0, 0), (2, 1)}), frozenset({(1, 1)})),
    Gold(frozenset({(0, 1)})),
    Gold(frozenset({(1, 0), (0, 1), (1, 2)})),
]


def sentences(layers: int = 2, heads: int = 3) -> list[HeadWeights]:
    generator = torch.Generator().manual_seed(5)
    found = []
    for (source, target), gold in zip(TEXTS, GOLD, strict=True):
        sides = side(CHARACTERS, source), side(CHARACTERS, target)
        shape = layers, heads, len(sides[1].pieces) + 1, len(sides[0].pieces) + 1
        table = torch.rand(shape, generator=generator).mul(20).softmax(dim=-1)
        found.append(HeadWeights(table, *sides, gold))
    return found


def right(sentence: HeadWeights, *, shift: int) -> torch.Tensor:
    """Weights that put every token of a target word on the sure source word."""
    table = torch.zeros(sentence.weights.shape[-2:])
    for i, j in sentence.gold.sure:
        for t in sentence.target.touching[j]:
            for s in sentence.source.touching[i]:
                table[t + shift, s] = 1.0
    return table


def test_every_head_has_the_score_it_has_alone():
    data, rule = sentences(), Threshold(above=0.2)
    scores = head_scores(iter(data), rule=rule, shifts=(0, 1))
    assert len(scores) == 2 * 3 * 2
    for (layer, head, shift), score in scores.items():
        links = [
            word_links(
                each.weights[layer, head],
                source=each.source,
                target=each.target,
                rule=rule,
                shift=shift,
            )
            for each in data
        ]
        assert score == alignment_score(links, GOLD)
    assert len({score.aer for score in scores.values()}) > 4


@pytest.mark.parametrize("shift", [0, 1])
def test_the_head_that_aligns_is_found_with_its_shift(shift):
    data = sentences()
    for each in data:
        each.weights[1, 2] = right(each, shift=shift)
    scores = head_scores(data, shifts=(0, 1))
    assert best_head(scores) == Head(layer=1, head=2, shift=shift)
    assert scores[Head(1, 2, shift)].aer == 0.0


def test_of_equal_heads_the_first_is_the_best():
    half = AlignmentScore(predicted=1, sure=1)
    none = AlignmentScore()
    assert best_head({Head(1, 0): none, Head(0, 0): half, Head(0, 1): none}) == Head(0, 1)


def test_no_sentence_has_no_best_head():
    with pytest.raises(InputError, match="needs sentences with gold links, got none"):
        head_scores([])


def test_sentences_of_different_models_are_refused():
    with pytest.raises(ShapeError, match=r"got 6 \(layer, head, shift\) before and 2"):
        head_scores([sentences()[0], sentences(layers=1, heads=2)[1]])
