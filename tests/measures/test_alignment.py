"""Alignment error rate on cases computed by hand, and its properties."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import metrics as reference
from regard.errors import ShapeError
from regard.measures import AlignmentScore, Gold, alignment_score
from regard.measures.alignment import sentence_score

LINKS = st.frozensets(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=8)
GOLD = st.builds(Gold, LINKS, LINKS)
CORPORA = st.lists(st.tuples(LINKS, GOLD), max_size=5)


def links(*pairs: tuple[int, int]) -> frozenset[tuple[int, int]]:
    return frozenset(pairs)


def test_a_sentence_counted_by_hand():
    gold = Gold(sure=links((0, 0), (1, 1), (2, 3)), possible=links((1, 2), (3, 3)))
    score = alignment_score([links((0, 0), (1, 1), (1, 2), (0, 4), (3, 0))], [gold])
    assert score.precision == 3 / 5
    assert score.recall == 2 / 3
    assert score.aer == pytest.approx(1 - (2 + 3) / (5 + 3))


def test_sentences_are_summed_before_they_are_divided():
    first, second = Gold(links((0, 0))), Gold(links((0, 1), (1, 0), (2, 2), (3, 3)))
    score = alignment_score([links((0, 0)), links((0, 0), (0, 1))], [first, second])
    assert score.precision == 2 / 3
    assert score.recall == 2 / 5
    assert score.aer == pytest.approx(1 - 4 / 8)


def test_a_possible_link_is_no_mistake_and_no_merit():
    gold = Gold(links((0, 0)), links((0, 1)))
    assert alignment_score([links((0, 0), (0, 1))], [gold]).aer == 0.0
    assert alignment_score([links((0, 0))], [gold]).aer == 0.0
    assert alignment_score([links((0, 1))], [gold]).recall == 0.0


def test_naming_a_sure_link_as_possible_too_changes_nothing():
    found, sure = links((0, 0), (1, 1)), links((0, 0), (2, 2))
    assert sentence_score(found, Gold(sure, sure)) == sentence_score(found, Gold(sure))


def test_sentences_without_gold_are_left_out():
    gold = Gold(links((1, 1)))
    found = [links((1, 1)), links((5, 5))]
    assert alignment_score(found, [gold, None]) == alignment_score(found[:1], [gold])


@pytest.mark.parametrize(
    ("found", "gold", "expected"),
    [
        (links(), Gold(links()), (1.0, 1.0, 0.0)),
        (links(), Gold(links((0, 0))), (1.0, 0.0, 1.0)),
        (links((0, 0)), Gold(links()), (0.0, 1.0, 1.0)),
        (links((0, 0)), Gold(links(), links((0, 0))), (1.0, 1.0, 0.0)),
    ],
    ids=["nothing", "no link", "no gold link", "only possible"],
)
def test_empty_cases_are_defined(found, gold, expected):
    score = alignment_score([found], [gold])
    assert (score.precision, score.recall, score.aer) == expected


def test_no_sentence_has_no_error():
    assert alignment_score([], []) == AlignmentScore()
    assert AlignmentScore().aer == 0.0


@settings(max_examples=40)
@given(CORPORA)
def test_the_error_rate_equals_a_plain_loop(corpus):
    score = alignment_score([found for found, _ in corpus], [gold for _, gold in corpus])
    rows = [(set(found), set(gold.sure), set(gold.allowed)) for found, gold in corpus]
    if any(found or sure for found, sure, _ in rows):
        assert score.aer == pytest.approx(reference.error_rate(rows))


@settings(max_examples=40)
@given(CORPORA)
def test_all_rates_lie_between_0_and_1(corpus):
    score = alignment_score([found for found, _ in corpus], [gold for _, gold in corpus])
    assert all(0 <= rate <= 1 for rate in (score.precision, score.recall, score.aer))


@settings(max_examples=40)
@given(st.lists(GOLD, max_size=4), st.data())
def test_sure_links_with_any_of_the_possible_ones_are_perfect(gold, data):
    found = [
        each.sure | data.draw(st.frozensets(st.sampled_from(sorted(each.allowed))))
        if each.allowed
        else each.sure
        for each in gold
    ]
    score = alignment_score(found, gold)
    assert (score.precision, score.recall, score.aer) == (1, 1, 0)


@settings(max_examples=40)
@given(CORPORA, st.randoms(use_true_random=False))
def test_the_order_of_sentences_does_not_matter(corpus, random):
    mixed = random.sample(corpus, len(corpus))
    first, second = (
        alignment_score([found for found, _ in rows], [gold for _, gold in rows])
        for rows in (corpus, mixed)
    )
    assert first == second


@settings(max_examples=40)
@given(LINKS, GOLD, st.permutations(range(4)), st.permutations(range(5)))
def test_the_order_of_words_does_not_matter(found, gold, sources, targets):
    def moved(links):
        return frozenset((sources[i], targets[j]) for i, j in links)

    expected = sentence_score(found, gold)
    assert sentence_score(moved(found), Gold(moved(gold.sure), moved(gold.possible))) == expected


@settings(max_examples=40)
@given(CORPORA, CORPORA)
def test_scores_add_up(first, second):
    one, other, both = (
        alignment_score([found for found, _ in rows], [gold for _, gold in rows])
        for rows in (first, second, first + second)
    )
    assert one + other == both


def test_unequal_numbers_are_refused():
    with pytest.raises(ShapeError, match="got links of 1 sentences and gold of 2"):
        alignment_score([links()], [None, None])


def test_a_score_prints_as_percentages():
    score = alignment_score([links((0, 0), (1, 0))], [Gold(links((0, 0)))])
    assert str(score) == "AER 33.3 % (precision 50.0 %, recall 100.0 %, 2 links, 1 sure)"
