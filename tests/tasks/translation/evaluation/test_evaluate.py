"""All numbers of a translator at once."""

import math

import pytest

from reference import metrics as reference
from regard.decoding import Beam, Limits
from regard.errors import InputError, ShapeError
from regard.measures import Gold, Head, Resampling
from regard.tasks.translation import HeldOut
from regard.tasks.translation.evaluation import LinkedPair, evaluate, evaluate_texts
from regard.tasks.translation.evaluation.evaluate import edges_for
from tasks.translation.evaluation.phrases import (
    HELD_OUT,
    SOURCES,
    TEXTS,
    by_heart,
    log_probs,
    plain,
    transformer,
)


def test_a_translator_that_knows_all_by_heart_is_perfect():
    found = evaluate(by_heart(), HELD_OUT, name="phrases", heads="every")
    right, _ = log_probs()
    assert found.name == "phrases"
    assert found.texts == tuple(TEXTS)
    assert found.chrf.value == pytest.approx(100)
    assert found.exact == 1
    assert found.perplexity.per_token == pytest.approx(math.exp(-right))
    assert found.aer == 0
    assert found.best_head == Head(0, 0, 0)
    assert found.speed.tokens == 4 + 3 + 2
    assert found.speed.per_second == pytest.approx(9 / found.speed.seconds)


def test_every_reference_counts_and_the_first_is_read():
    one = HeldOut("a dog", ("le chien", "un chien"))
    right, wrong = log_probs()
    found = evaluate(by_heart(), [one])
    assert found.exact == 1
    assert found.perplexity.per_token == pytest.approx(math.exp(-(2 * right + wrong) / 3))


def test_without_gold_there_is_no_alignment_and_other_gold_may_be_given():
    bare = [one._replace(alignment=None) for one in HELD_OUT]
    found = evaluate(by_heart(), bare, heads="every")
    assert (found.alignment, found.heads, found.aer, found.best_head) == ({}, {}, None, None)
    pair = LinkedPair("a dog", "un chien", Gold(frozenset({(0, 1), (1, 0)})))
    assert evaluate(by_heart(), bare, linked=[pair]).aer == 1


def test_a_model_that_does_not_look_has_no_alignment():
    found = evaluate(plain(), HELD_OUT, heads="every", resampling=None)
    assert (found.alignment, found.heads) == ({}, {})
    assert found.perplexity.per_token > 1


def test_heads_are_scored_only_if_asked_for():
    assert evaluate(transformer(), HELD_OUT, resampling=None).heads == {}
    assert len(evaluate(transformer(), HELD_OUT, resampling=None, heads="every").heads) == 12


def test_search_and_limits_reach_the_decoder():
    found = evaluate(by_heart(), HELD_OUT, strategy=Beam(size=2), limits=Limits(max_length=1))
    assert found.texts == ("le", "un", "rien")
    assert found.exact == pytest.approx(1 / 3)


def test_texts_alone_are_scored_as_in_the_papers():
    texts = ["le chat noir dort ici", "un chien", "rien du tout"]
    references = [("le chat noir dort là", "ce chat noir dort ici"), ("un chien",), ("rien",)]
    held_out = [HeldOut(s, r) for s, r in zip(SOURCES, references, strict=True)]
    found = evaluate_texts(texts, held_out, name="file", edges=(1, 2))
    assert found.bleu.value == pytest.approx(reference.bleu(texts, references))
    assert found.chrf.value == pytest.approx(reference.chrf(texts, references))
    assert found.exact == pytest.approx(1 / 3)
    assert found.perplexity is found.speed is None
    assert [(b.label, b.sentences) for b in found.lengths] == [("0–1", 1), ("2–2", 1), ("3+", 1)]
    assert found.lengths[2].bleu.value == pytest.approx(reference.bleu(texts[:1], references[:1]))
    low, high, confidence = found.bleu.interval
    assert low <= found.bleu.value <= high
    assert confidence == 0.95


def test_intervals_are_left_out_if_nothing_is_drawn():
    found = evaluate_texts(TEXTS, HELD_OUT, resampling=None)
    assert found.bleu.interval is found.chrf.interval is None
    narrow = evaluate_texts(TEXTS, HELD_OUT, resampling=Resampling(samples=2, confidence=0.5))
    assert narrow.bleu.interval.confidence == 0.5


@pytest.mark.parametrize(
    ("words", "edges"),
    [
        ([3], (5,)),
        ([3, 12], (5, 10)),
        ([30], (5, 10, 15, 20, 25, 30)),
        ([2, 31], (10, 20, 30)),
        ([99], (10, 20, 30, 40, 50, 60)),
        ([], (5,)),
    ],
)
def test_buckets_suit_the_longest_source(words, edges):
    assert edges_for([" ".join("a" * count) for count in words]) == edges


def test_nothing_to_test_on_is_refused():
    with pytest.raises(InputError, match="needs at least one sentence"):
        evaluate(by_heart(), [])
    with pytest.raises(ShapeError, match="2 hypotheses and references of 3 sentences"):
        evaluate_texts(TEXTS[:2], HELD_OUT)
