"""Several systems on one test."""

import pytest

from reference import metrics as reference
from regard.errors import ShapeError
from regard.measures import Resampling
from regard.tasks.translation import evaluation
from regard.tasks.translation.evaluation import compare, evaluate_texts
from tasks.translation.evaluation.phrases import HELD_OUT, TEXTS

OTHER = ["le chat", "un chien", "rien du tout"]


def test_every_other_system_is_compared_with_the_first():
    named = {"first": TEXTS, "second": OTHER, "same": TEXTS}
    systems = [evaluate_texts(texts, HELD_OUT, name=name) for name, texts in named.items()]
    second, same = compare(systems, HELD_OUT, resampling=Resampling(samples=50))
    assert (second.first, second.second, same.second) == ("first", "second", "same")
    references = [one.references for one in HELD_OUT]
    expected = reference.chrf(OTHER, references) - reference.chrf(TEXTS, references)
    assert second.chrf.difference == pytest.approx(expected)
    assert (second.bleu.first.name, second.chrf.first.name) == ("BLEU", "chrF2")
    assert same.chrf.difference == 0
    assert same.chrf.p_value == 1


def test_one_system_is_compared_with_nobody():
    assert compare([evaluate_texts(TEXTS, HELD_OUT)], HELD_OUT) == ()


def test_systems_need_the_same_sentences():
    systems = [evaluate_texts(TEXTS, HELD_OUT), evaluate_texts(TEXTS[:2], HELD_OUT[:2])]
    with pytest.raises(ShapeError, match="2 hypotheses and references of 3"):
        compare(systems, HELD_OUT)


def test_names_of_before_are_those_of_today():
    assert evaluation.against is evaluation.compare
    assert evaluation.Versus is evaluation.PairedComparison
    assert evaluation.by_shift is evaluation.alignment_by_step
    assert evaluation.forced is evaluation.teacher_forced
    assert evaluation.Forced is evaluation.TeacherForced
    assert evaluation.surprise is evaluation.perplexity_on
