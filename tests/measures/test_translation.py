"""BLEU, chrF and exact sentences against loops, and sacrebleu's own numbers for the plumbing."""

import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import metrics as reference
from regard.errors import InputError, ShapeError
from regard.measures import Interval, Score, bleu, chrf, exact

WORDS = ["the", "cat", "sat", "mat", "on", "a"]
SENTENCES = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
CORPORA = st.lists(
    st.tuples(SENTENCES, st.lists(SENTENCES.filter(bool), min_size=1, max_size=3)),
    min_size=1,
    max_size=5,
)
MEASURES = pytest.mark.parametrize("measure", [bleu, chrf, exact], ids=["bleu", "chrf", "exact"])


@settings(max_examples=50)
@given(CORPORA)
def test_bleu_equals_a_plain_loop(corpus):
    hypotheses, references = zip(*corpus, strict=True)
    expected = reference.bleu(hypotheses, references)
    assert bleu(hypotheses, references).value == pytest.approx(expected, abs=1e-9)


@settings(max_examples=50)
@given(CORPORA)
def test_chrf_equals_a_plain_loop(corpus):
    hypotheses, references = zip(*corpus, strict=True)
    expected = reference.chrf(hypotheses, references)
    assert chrf(hypotheses, references).value == pytest.approx(expected, abs=1e-9)


def test_bleu_of_a_sentence_computed_by_hand():
    # 5 of 6 words, 3 of 5 pairs, 2 of 4 triples and 1 of 3 runs of four match; lengths are equal.
    score = bleu(["the cat sat on a mat"], ["the cat sat on the mat"])
    assert score.value == pytest.approx(100 * (5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** 0.25)


def test_scores_carry_the_name_and_signature_of_sacrebleu():
    hypotheses = ["a cat sat on the mat", "no", "one two three four"]
    references = [["the cat sat on the mat", "a cat sat"], ["no"], ["one two three five"]]
    streams = [["the cat sat on the mat", "no", "one two three five"], ["a cat sat", None, None]]
    for measure, metric in ((bleu, sacrebleu.BLEU()), (chrf, sacrebleu.CHRF())):
        expected = metric.corpus_score(hypotheses, streams)
        score = measure(hypotheses, references)
        assert score == Score(expected.score, expected.name, str(metric.get_signature()))
        assert "nrefs:var" in score.signature


def test_a_string_stands_for_a_single_reference():
    hypotheses = ["a cat sat here now", "no dog"]
    references = ["the cat sat here now", "no dog"]
    assert bleu(hypotheses, references) == bleu(hypotheses, [[text] for text in references])
    assert "nrefs:1|" in bleu(hypotheses, references).signature


def test_many_sentences_that_look_tokenised_are_scored_without_a_word(caplog):
    bleu(["yes ."] * 101, ["yes ."] * 101)
    assert not caplog.records


def test_a_score_prints_its_interval_and_signature():
    score = Score(41.26, "BLEU", "nrefs:1")
    assert str(score) == "BLEU 41.3 (nrefs:1)"
    around = score._replace(interval=Interval(40.04, 42.5, 0.95))
    assert str(around) == "BLEU 41.3 [40.0, 42.5] at 95 % (nrefs:1)"


def test_exact_counts_sentences_that_equal_one_of_their_references():
    hypotheses = ["Il dort.", "Elle dort", "Oui.", "Non.", "Bien."]
    references = [["Il rêve.", "Il dort."], "Elle dort.", ["Oui."], "non.", ["Mal."]]
    assert exact(hypotheses, references) == 2 / 5


@pytest.mark.parametrize(
    "other", ["un  e\u0301te\u0301", " un été\n", "un\u00a0été"], ids=["NFD", "around", "no-break"]
)
def test_exact_looks_through_composition_and_space(other):
    assert exact([other], ["un été"]) == exact(["un été"], [other]) == 1.0


@pytest.mark.parametrize("other", ["Un été", "un éte", "unété"], ids=["case", "accent", "space"])
def test_exact_sees_every_other_difference(other):
    assert exact([other], ["un été"]) == 0.0


@MEASURES
def test_unequal_numbers_are_refused(measure):
    with pytest.raises(ShapeError, match="got 2 hypotheses and references of 3 sentences"):
        measure(["a", "b"], ["a", "b", "c"])


@MEASURES
def test_nothing_to_compare_is_refused(measure):
    with pytest.raises(InputError, match="at least one sentence, got none"):
        measure([], [])


@MEASURES
def test_a_sentence_without_a_reference_is_named(measure):
    with pytest.raises(InputError, match="sentence 2 needs at least one reference"):
        measure(["a", "b", "c"], [["a"], [], ["c"]])


@MEASURES
def test_an_empty_hypothesis_is_worth_nothing(measure):
    result = measure([""], ["a b c d"])
    assert (result.value if isinstance(result, Score) else result) == 0.0
