"""Accuracy, confusion and F1 of classes, against loops and numbers worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import InputError, ShapeError
from regard.measures import F1, accuracy, confusion, f1

LABELS = st.sampled_from("abc")
EXAMPLES = st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=20)


def test_accuracy_is_the_share_of_equal_ones():
    assert accuracy([0, 2, 1, 3], [0, 1, 2, 3]) == 0.5
    assert accuracy("NVD", "NVA") == pytest.approx(2 / 3)


def test_rows_of_the_confusion_are_wanted_and_columns_predicted():
    found = confusion([0, 0, 2, 2, 0, 2], [2, 0, 2, 2, 0, 1])
    assert found.labels == (0, 1, 2)
    assert found.counts == ((2, 0, 0), (0, 0, 1), (1, 0, 2))


def test_labels_can_be_put_in_order_and_need_not_occur():
    found = confusion(["dog", "cat"], ["cat", "cat"], labels=["cat", "bird"])
    assert found.labels == ("cat", "bird", "dog")
    assert found.counts == ((1, 0, 1), (0, 0, 0), (0, 0, 0))


def test_labels_without_an_order_among_them_are_counted_too():
    assert confusion(["a", None, 2], ["a", 2, 2]).labels == ("a", 2, None)


def test_f1_of_each_class_and_its_averages():
    found = f1([0, 2, 1, 0, 0, 1], [0, 1, 2, 0, 1, 2])
    assert [score.f1 for score in found.classes.values()] == pytest.approx([0.8, 0, 0])
    assert found.classes[0] == F1(hits=2, predicted=3, gold=2)
    assert (found.classes[0].precision, found.classes[0].recall) == (pytest.approx(2 / 3), 1.0)
    assert found.macro == pytest.approx(0.8 / 3)
    assert found.micro.f1 == pytest.approx(1 / 3)


@given(EXAMPLES)
def test_f1_equals_loops_over_the_examples(examples):
    predicted, gold = zip(*examples, strict=True)
    found = f1(predicted, gold)
    assert set(found.classes) == {*predicted, *gold}
    for label, score in found.classes.items():
        hits = wrong = missed = 0
        for ours, theirs in examples:
            hits += ours == label and theirs == label
            wrong += ours == label and theirs != label
            missed += ours != label and theirs == label
        assert score == F1(hits=hits, predicted=hits + wrong, gold=hits + missed)
        expected = 2 * hits / (2 * hits + wrong + missed)
        assert score.f1 == pytest.approx(expected)
        if hits:
            p, r = score.precision, score.recall
            assert score.f1 == pytest.approx(2 * p * r / (p + r))
    assert found.micro.f1 == pytest.approx(accuracy(predicted, gold))
    assert sum(map(sum, confusion(predicted, gold).counts)) == len(examples)


def test_nothing_predicted_and_nothing_wanted_is_zero():
    nothing = F1()
    assert (nothing.precision, nothing.recall, nothing.f1) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("measure", [accuracy, confusion, f1])
def test_different_numbers_and_none_are_refused(measure):
    with pytest.raises(ShapeError, match="got 1 predictions and 2 of gold"):
        measure(["a"], ["a", "b"])
    with pytest.raises(InputError, match="at least one example"):
        measure([], [])
