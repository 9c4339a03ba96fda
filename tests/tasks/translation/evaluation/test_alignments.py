"""Attention held against links that people drew."""

import pytest
import torch

from reference import metrics as reference
from regard.errors import InputError, ShapeError
from regard.measures import Gold, Head, Threshold
from regard.tasks.translation.evaluation import (
    LinkedPair,
    alignment_by_step,
    alignments,
    every_head,
    flipped,
    linked_by,
    linked_pairs,
    teacher_forced,
)
from tasks.translation.evaluation.phrases import (
    GOLD,
    HELD_OUT,
    SOURCES,
    TEXTS,
    bahdanau,
    by_heart,
    plain,
    transformer,
)

PAIRS = [
    LinkedPair(source, text, gold)
    for source, text, gold in zip(SOURCES, TEXTS, GOLD, strict=True)
    if gold is not None
]


def test_links_are_where_each_word_looks_most():
    assert linked_by(by_heart(), PAIRS) == [{(0, 0), (2, 1), (1, 2)}, {(0, 0), (1, 1)}]


def test_links_can_be_taken_from_the_step_that_reads_a_word():
    assert linked_by(by_heart(), PAIRS, shift=1) == [{(2, 0), (1, 1), (0, 2)}, {(1, 0), (0, 1)}]


def test_both_steps_are_scored():
    found = alignment_by_step(by_heart(), PAIRS)
    assert (found[0].aer, found[0].precision, found[0].recall) == (0, 1, 1)
    assert (found[1].aer, found[1].precision, found[1].recall) == (1, 0, 0)


def test_possible_links_are_no_mistakes_and_are_not_missed():
    gold = Gold(frozenset({(0, 0)}), frozenset({(2, 1), (0, 2)}))
    score = alignment_by_step(by_heart(), [PAIRS[0]._replace(gold=gold)])[0]
    assert score.precision == pytest.approx(2 / 3)
    assert score.recall == 1
    assert score.aer == pytest.approx(1 - (1 + 2) / (3 + 1))


def test_the_rule_decides():
    assert linked_by(by_heart(), PAIRS, rule=Threshold(above=2.0)) == [set(), set()]


def test_words_may_be_others_than_those_between_spaces():
    gold = Gold(frozenset({(1, 0)}))
    pair = LinkedPair("a dog", "un chien", gold, ("a", "dog"), ("chien",))
    assert linked_by(by_heart(), [pair]) == [{(1, 0)}]


def test_every_head_scores_as_a_loop_over_its_weights():
    translator = transformer()
    found = every_head(translator, PAIRS)
    assert set(found) == {
        Head(layer, head, shift) for layer in range(2) for head in range(3) for shift in range(2)
    }
    weights = {
        one.number: one.weights
        for one in teacher_forced(translator, [p[:2] for p in PAIRS], asked="heads")
    }
    for head, score in found.items():
        sentences = []
        for number, pair in enumerate(PAIRS):
            words = [[[i] for i in range(len(text.split()))] for text in pair[:2]]
            own = weights[number][head.layer, head.head].tolist()
            table = reference.word_weights(own, source=words[0], target=words[1], shift=head.shift)
            sentences.append((reference.highest(table), pair.gold.sure, pair.gold.allowed))
        assert score.aer == pytest.approx(reference.error_rate(sentences))


def test_the_alignment_head_of_one_attention_is_its_only_head():
    translator = bahdanau()
    every = every_head(translator, PAIRS)
    assert {head.shift: score for head, score in every.items()} == alignment_by_step(
        translator, PAIRS
    )


def test_a_model_that_does_not_look_is_refused():
    with pytest.raises(InputError, match="needs a model that looks at its source"):
        alignment_by_step(plain(), PAIRS)


def test_words_behind_the_longest_have_no_link():
    translator = transformer()
    translator.longest = 2
    (links, _) = linked_by(translator, PAIRS)
    assert all(i < 2 and j < 2 for i, j in links)
    assert len(links) == 2


def test_turned_around_twice_a_pair_is_what_it_was():
    pair = LinkedPair(
        "a b", "c", Gold(frozenset({(1, 0)}), frozenset({(0, 0)})), ("a", "b"), ("c",)
    )
    turned = flipped(pair)
    assert turned == LinkedPair(
        "c", "a b", Gold(frozenset({(0, 1)}), frozenset({(0, 0)})), ("c",), ("a", "b")
    )
    assert flipped(turned) == pair


def test_pairs_without_gold_are_left_out():
    assert linked_pairs(HELD_OUT) == PAIRS


def test_links_of_somebody_else_are_scored_too():
    links = [frozenset({(0, 0), (1, 1)}), frozenset({(0, 0), (1, 1)})]
    score = alignments(links, PAIRS)
    assert (score.predicted, score.sure, score.predicted_sure) == (4, 5, 3)
    with pytest.raises(ShapeError, match="links of 1 sentences and gold of 2"):
        alignments(links[:1], PAIRS)


def test_weights_belong_to_nobody_else():
    found = list(teacher_forced(by_heart(), [PAIRS[1][:2]], asked="alignment"))
    assert not torch.is_inference(found[0].weights)
