"""Spans of BIO tags and their F1, by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import InputError, ShapeError
from regard.measures import F1, Span, bio_spans, span_f1


@pytest.mark.parametrize(
    ("tags", "spans"),
    [
        ("O O", []),
        ("B-PER I-PER O B-LOC", [(0, 2, "PER"), (3, 4, "LOC")]),
        ("B-PER B-PER I-PER", [(0, 1, "PER"), (1, 3, "PER")]),
        ("O I-PER I-PER", [(1, 3, "PER")]),
        ("B-PER I-LOC", [(0, 1, "PER"), (1, 2, "LOC")]),
        ("B-PER O I-PER", [(0, 1, "PER"), (2, 3, "PER")]),
        ("B-a-b I-a-b", [(0, 2, "a-b")]),
    ],
)
def test_spans_start_go_on_and_end(tags, spans):
    assert bio_spans(tags.split()) == {Span(*span) for span in spans}


LENGTHS = st.lists(st.tuples(st.integers(1, 4), st.sampled_from(["O", "X", "Y"])), max_size=6)


@given(LENGTHS)
def test_tags_written_from_spans_give_the_spans_back(parts):
    tags, spans = [], set()
    for length, label in parts:
        if label != "O":
            spans.add((len(tags), len(tags) + length, label))
        first, more = ("O", "O") if label == "O" else (f"B-{label}", f"I-{label}")
        tags += [first] + [more] * (length - 1)
    assert bio_spans(tags) == spans


def test_a_span_is_right_as_a_whole_or_not_at_all():
    gold = [["O", "O", "O", "B-MISC", "I-MISC", "I-MISC", "O"], ["B-PER", "I-PER", "O"]]
    predicted = [["O", "O", "B-MISC", "I-MISC", "I-MISC", "I-MISC", "O"], ["B-PER", "I-PER", "O"]]
    found = span_f1(predicted, gold)
    assert found.classes == {
        "MISC": F1(hits=0, predicted=1, gold=1),
        "PER": F1(hits=1, predicted=1, gold=1),
    }
    assert (found.micro.f1, found.macro) == (0.5, 0.5)


def test_the_label_counts_as_well_as_the_words():
    found = span_f1([["B-X", "O"]], [["B-Y", "B-Y"]])
    assert found.classes == {"X": F1(predicted=1), "Y": F1(gold=2)}
    assert found.micro.f1 == 0.0


def test_wrong_tags_and_numbers_are_refused():
    with pytest.raises(InputError, match="got 'S-PER' at word 1"):
        bio_spans(["O", "S-PER"])
    with pytest.raises(InputError, match="got 'B' at word 0"):
        bio_spans(["B"])
    with pytest.raises(ShapeError, match="sentence 2 needs a tag for each of 2 words, got 1"):
        span_f1([["O"], ["O"]], [["O"], ["O", "O"]])
    with pytest.raises(ShapeError, match="got 1 predictions and 0 of gold"):
        span_f1([["O"]], [])
