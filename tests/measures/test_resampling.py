"""Confidence intervals and comparisons by resampling."""

from itertools import product

import numpy as np
import pytest
import sacrebleu
from pydantic import ValidationError

from reference import metrics as reference
from regard.errors import ShapeError
from regard.measures import Resampling, bleu, chrf, compare_systems
from regard.measures.match_counts import draw_samples

WORDS = ["the", "cat", "sat", "on", "a", "mat", "and", "saw", "two", "dogs", "that", "ran", "far"]


def corpus(sentences: int, *, errors: float, seed: int) -> tuple[list[str], list[str]]:
    """Hypotheses with a share of wrong words, and references; these are of one seed always."""
    texts = np.random.default_rng(7).integers(len(WORDS), size=(sentences, 11))
    generator = np.random.default_rng(seed)
    wrong = generator.random(texts.shape) < errors
    guesses = np.where(wrong, generator.integers(len(WORDS), size=texts.shape), texts)
    return _written(guesses), _written(texts)


def _written(numbers: np.ndarray) -> list[str]:
    return [" ".join(WORDS[number] for number in row) for row in numbers]


def test_every_sample_is_as_large_as_the_test():
    samples = list(draw_samples(13, Resampling(samples=200)))
    assert len(samples) == 200
    assert all(row.shape == (13,) and row.sum() == 13 for row in samples)
    assert np.mean(samples, axis=0) == pytest.approx(np.ones(13), abs=0.3)
    assert max(row.max() for row in samples) > 1


@pytest.mark.parametrize(
    ("measure", "metric"),
    [(bleu, sacrebleu.BLEU()), (chrf, sacrebleu.CHRF())],
    ids=["bleu", "chrf"],
)
def test_the_interval_is_about_that_of_sacrebleu(measure, metric):
    hypotheses, references = corpus(97, errors=0.3, seed=1)
    expected = metric.corpus_score(hypotheses, [references], n_bootstrap=700)
    low, high, _ = measure(hypotheses, references, resampling=Resampling(samples=700)).interval
    assert (low + high) / 2 == pytest.approx(expected._mean, abs=0.6)
    assert (high - low) / 2 == pytest.approx(expected._ci, rel=0.15)


def test_the_interval_is_seeded():
    hypotheses, references = corpus(23, errors=0.3, seed=1)
    first, again, other = (
        bleu(hypotheses, references, resampling=Resampling(samples=50, seed=seed)).interval
        for seed in (3, 3, 4)
    )
    assert first == again != other


def test_the_value_does_not_depend_on_the_resampling():
    hypotheses, references = corpus(23, errors=0.3, seed=1)
    score = bleu(hypotheses, references, resampling=Resampling(samples=50))
    assert score._replace(interval=None) == bleu(hypotheses, references)
    assert score.interval.low < score.value < score.interval.high


def test_more_confidence_is_a_wider_interval():
    hypotheses, references = corpus(23, errors=0.3, seed=1)
    narrow, wide = (
        bleu(hypotheses, references, resampling=Resampling(samples=90, confidence=share)).interval
        for share in (0.5, 0.99)
    )
    assert wide.low < narrow.low < narrow.high < wide.high
    assert (narrow.confidence, wide.confidence) == (0.5, 0.99)


def test_equal_sentences_leave_no_doubt():
    low, high, _ = bleu(["a b c d e"] * 5, ["a b c d f"] * 5, resampling=Resampling()).interval
    assert low == pytest.approx(high)


def test_a_system_does_not_differ_from_itself():
    hypotheses, references = corpus(17, errors=0.3, seed=1)
    result = compare_systems(hypotheses, hypotheses, references, resampling=Resampling(samples=60))
    assert (result.difference, result.interval.low, result.interval.high) == (0, 0, 0)
    assert result.p_value == 1.0


@pytest.mark.parametrize("metric", ["BLEU", "chrF2"])
def test_a_far_better_system_is_found_to_be_better(metric):
    worse, references = corpus(61, errors=0.5, seed=1)
    better, _ = corpus(61, errors=0.1, seed=2)
    resampling = Resampling(samples=99)
    result = compare_systems(worse, better, references, metric=metric, resampling=resampling)
    assert result.first.name == result.second.name == metric
    assert result.difference > result.interval.low > 0
    assert result.p_value == 1 / 100


def test_systems_in_the_other_order_give_the_mirrored_result():
    first, references = corpus(31, errors=0.3, seed=1)
    second, _ = corpus(31, errors=0.25, seed=2)
    resampling = Resampling(samples=80)
    one = compare_systems(first, second, references, resampling=resampling)
    other = compare_systems(second, first, references, resampling=resampling)
    assert (one.first, one.second) == (other.second, other.first)
    assert one.difference == -other.difference
    assert one.interval.low == pytest.approx(-other.interval.high)
    assert one.p_value == other.p_value
    assert 0.02 < one.p_value < 1


def test_the_p_value_is_the_share_of_all_exchanges_that_differ_as_much():
    first, references = corpus(7, errors=0.3, seed=5)
    second, _ = corpus(7, errors=0.25, seed=6)
    wanted = [[text] for text in references]

    def difference(exchanged: tuple[bool, ...]) -> float:
        pairs = [
            (b, a) if turn else (a, b) for a, b, turn in zip(first, second, exchanged, strict=True)
        ]
        one, other = zip(*pairs, strict=True)
        return reference.bleu(other, wanted) - reference.bleu(one, wanted)

    seen = abs(difference((False,) * 7))
    hits = [abs(difference(turns)) > seen - 1e-9 for turns in product((False, True), repeat=7)]
    expected = sum(hits) / len(hits)
    result = compare_systems(first, second, references, resampling=Resampling(samples=4000))
    assert 0.05 < expected < 0.95
    assert result.p_value == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize(("sentences", "least"), [(2, 0.5), (5, 1 / 16), (6, None)])
def test_where_so_few_sentences_differ_that_chance_cannot_be_excluded_it_is_said(sentences, least):
    right = ["the black cat sat here"] * 7
    wrong = ["no"] * sentences + right[sentences:]
    result = compare_systems(
        wrong, right, right, metric="chrF2", resampling=Resampling(samples=900)
    )
    assert result.apart == sentences and result.difference > 0
    if least is None:
        assert result.caution is None and "too few" not in str(result)
    else:
        assert result.p_value == pytest.approx(least, abs=0.03) and result.p_value >= least
        assert f"differ on {sentences} sentences: too few for a p below 0.05)" in str(result)


def test_a_comparison_prints_all_of_it():
    first, references = corpus(31, errors=0.3, seed=1)
    second, _ = corpus(31, errors=0.1, seed=2)
    result = compare_systems(first, second, references, resampling=Resampling(samples=30))
    assert str(result) == (
        f"BLEU {result.first.value:.1f} and {result.second.value:.1f}: difference "
        f"+{result.difference:.1f} {result.interval}, p = {result.p_value:.3g}"
    )


def test_systems_of_different_numbers_of_sentences_are_refused():
    with pytest.raises(ShapeError, match="got 1 hypotheses and references of 2 sentences"):
        compare_systems(["a", "b"], ["a"], ["a", "b"])


@pytest.mark.parametrize(
    "settings",
    [{"samples": 0}, {"confidence": 1.0}, {"confidence": 0.0}, {"seed": -1}, {"times": 3}],
    ids=str,
)
def test_impossible_settings_are_refused(settings):
    with pytest.raises(ValidationError):
        Resampling(**settings)
