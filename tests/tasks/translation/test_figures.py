"""The picture of BLEU by length: what is drawn where."""

import sys
from io import BytesIO

import pytest

from regard.errors import InputError, MissingExtraError
from regard.lens.plots import save
from regard.measures import Bucket, Score
from regard.tasks.translation.figures import length_curves

matplotlib = pytest.importorskip("matplotlib")


def buckets(*scores, sentences=(40, 30, 19)):
    """Of every ten words, the third of them empty."""
    rows = list(zip((0, 11, 31), (10, 20, None), sentences, scores, strict=True))
    made = [Bucket(low, high, n, Score(s, "BLEU", ""), 0.5) for low, high, n, s in rows]
    return [*made[:2], Bucket(21, 30, 0, None, None), made[2]]


def curves(figure):
    """The lines that connect points."""
    return [line for line in figure.axes[0].get_lines() if line.get_linestyle() != "None"]


def test_every_system_has_a_curve_with_its_scores():
    figure = length_curves({"with": buckets(30.0, 29.0, 28.0), "without": buckets(31.0, 20.0, 7.0)})
    assert [line.get_ydata().tolist() for line in curves(figure)] == [[30, 29, 28], [31, 20, 7]]
    assert len({line.get_color() for line in curves(figure)}) == 2
    assert [note.get_text() for note in figure.axes[0].texts] == ["without", "with"]


def test_a_bucket_without_sentences_is_not_drawn_and_the_others_tell_how_many():
    axes = length_curves({"one": buckets(3.0, 2.0, 1.0)}).axes[0]
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert labels == ["0–10\n40", "11–20\n30", "31+\n19"]


def test_a_score_of_few_sentences_is_hollow_and_said_to_be():
    axes = length_curves({"one": buckets(3.0, 2.0, 1.0)}).axes[0]
    points = [line for line in axes.get_lines() if line.get_linestyle() == "None"]
    filled = [line.get_markerfacecolor() == line.get_markeredgecolor() for line in points]
    assert filled == [True, True, False]
    assert "fewer than 20" in axes.get_title("right")
    many = length_curves({"one": buckets(3.0, 2.0, 1.0, sentences=(20, 30, 40))}).axes[0]
    assert many.get_title("right") == ""


def test_names_that_would_meet_are_moved_apart_and_long_ones_keep_their_end():
    same = buckets(30.0, 30.0, 30.0)
    axes = length_curves({"a/" + "b" * 50 + "/end": same, "$x_1$": same}).axes[0]
    heights = [note.xy[1] for note in axes.texts]
    assert abs(heights[0] - heights[1]) > 0.04
    texts = [note.get_text() for note in axes.texts]
    assert texts[0].startswith("…b")
    assert texts[0].endswith("/end")
    assert len(texts[0]) == 32
    assert not any(note.get_parse_math() for note in axes.texts)


def test_more_systems_than_colours_differ_in_their_dashes():
    figure = length_curves({str(i): buckets(9.0, 8.0, float(i)) for i in range(9)})
    looks = [(line.get_color(), line.get_linestyle()) for line in curves(figure)]
    assert len(set(looks)) == 9


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_the_same_picture_is_the_same_bytes(kind):
    files = [BytesIO(), BytesIO()]
    for file in files:
        save(length_curves({"one": buckets(0.0, 0.0, 0.0)}), file, kind)
    assert files[0].getvalue() == files[1].getvalue()


def test_systems_of_different_sentences_are_refused():
    other = buckets(1.0, 2.0, 3.0, sentences=(40, 31, 19))
    with pytest.raises(InputError, match="same buckets of the same sentences"):
        length_curves({"one": buckets(1.0, 2.0, 3.0), "other": other})
    with pytest.raises(InputError, match="at least one system"):
        length_curves({})


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"regard\[plots\]"):
        length_curves({"one": buckets(1.0, 2.0, 3.0)})
