"""Alignments as pictures: a panel per view, every word where it belongs, no font missing."""

import logging
import struct
from itertools import pairwise

import pytest
import torch

from regard.errors import ShapeError
from regard.lens.alignments import AlignmentView, figure, picture

matplotlib = pytest.importorskip("matplotlib")

SOURCE, TARGET = ("red", "dress"), ("une", "robe", "rouge")
WEIGHTS = torch.tensor([[0.5, 0.25], [0.0, 1.0], [0.75, 0.125]])
VIEW = AlignmentView(SOURCE, TARGET, WEIGHTS, "a model")
HEBREW, ARABIC = "\u05d7\u05ea\u05d5\u05dc", "\u0642\u0637\u0629"


def words(labels):
    return [label.get_text() for label in labels]


def cells(axes):
    (mesh,) = axes.collections
    return mesh.get_array().reshape(mesh._coordinates.shape[0] - 1, -1)


def test_a_view_is_a_map_with_target_words_down_and_source_words_across():
    (axes,) = figure([VIEW]).get_axes()
    assert cells(axes).tolist() == WEIGHTS.tolist()
    assert words(axes.get_yticklabels()) == list(TARGET)
    assert words(axes.get_xticklabels()) == list(SOURCE)
    assert axes.get_title("left") == "a model"


def test_what_lies_on_the_end_is_the_last_column_behind_a_line():
    view = AlignmentView(SOURCE, TARGET, WEIGHTS, end=[0.25, 0.0, 0.125])
    (axes,) = figure([view]).get_axes()
    assert cells(axes).tolist() == [[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.75, 0.125, 0.125]]
    assert words(axes.get_xticklabels()) == [*SOURCE, "(end)"]
    assert [line.get_xdata() for line in axes.lines] == [[2, 2]]
    assert not figure([VIEW]).get_axes()[0].lines


def test_sentences_model_and_axes_are_named():
    texts, sides = ("Red dress.", "Une robe rouge."), ("source", "translation")
    heads = [
        AlignmentView(SOURCE, TARGET, WEIGHTS, f"head {n}", texts=texts, model="mine", sides=sides)
        for n in range(2)
    ]
    drawn = figure(heads)
    assert [text.get_text() for text in drawn.texts] == ["Red dress. → Une robe rouge.", "mine"]
    narrow = figure([AlignmentView(("a",), ("b",), [[1.0]], texts=texts)])
    assert [text.get_text() for text in narrow.texts] == ["Red dress.", "→ Une robe rouge."]
    for axes, title in zip(drawn.get_axes(), ("head 0", "head 1"), strict=True):
        assert (axes.get_xlabel(), axes.get_ylabel()) == sides
        assert axes.get_title("left") == title
    (bare,) = narrow.get_axes()
    assert (bare.get_xlabel(), bare.get_ylabel()) == ("", "")


def test_a_text_that_looks_at_itself_is_told_once():
    drawn = figure([AlignmentView(SOURCE, SOURCE, torch.eye(2), texts=("Red dress.",) * 2)])
    assert [text.get_text() for text in drawn.texts] == ["Red dress."]


@pytest.mark.parametrize("words", [1, 3, 40])
def test_titles_stay_inside_the_picture_and_above_the_maps(words):
    many = tuple(f"word{i}" for i in range(words))
    drawn = figure([AlignmentView(many, many, torch.eye(words), "head 0", model="mine")])
    drawn.draw_without_rendering()
    whole = drawn.bbox
    (axes,) = drawn.get_axes()
    top = axes.get_tightbbox().y1
    boxes = [text.get_window_extent() for text in drawn.texts]
    for box in boxes:
        assert whole.x0 <= box.x0 < box.x1 <= whole.x1
        assert top <= box.y0 + 1 < box.y1 <= whole.y1
    assert all(upper.y0 >= lower.y1 - 1 for upper, lower in pairwise(boxes))


def test_views_of_different_sizes_stand_side_by_side_in_one_scale():
    other = AlignmentView(("red", "dress"), ("robe",), [[0.2, 0.3]], "another")
    first, second = figure([VIEW, other]).get_axes()
    assert cells(first).tolist() == WEIGHTS.tolist()
    assert cells(second).shape == (1, 2)
    assert first.collections[0].get_clim() == second.collections[0].get_clim() == (0.0, 1.0)
    assert [axes.get_title("left") for axes in (first, second)] == ["a model", "another"]


def test_a_weight_above_one_sets_the_scale_of_all_views():
    panels = figure([VIEW, AlignmentView(("a",), ("b",), [[3.0]])]).get_axes()
    assert {axes.collections[0].get_clim() for axes in panels} == {(0.0, 3.0)}


def test_the_fifth_view_begins_a_new_line():
    drawn = figure([VIEW] * 5)
    drawn.draw_without_rendering()
    places = [axes.get_position() for axes in drawn.get_axes()]
    assert len(places) == 5
    assert len({round(place.y0, 3) for place in places[:4]}) == 1
    assert places[4].y1 < places[0].y0
    assert places[4].x0 == pytest.approx(places[0].x0)


def test_a_right_to_left_sentence_begins_on_the_right():
    (axes,) = figure([AlignmentView((HEBREW, "."), ("a", "b", "c"), torch.zeros(3, 2))]).get_axes()
    assert axes.get_xlim() == (2, 0)
    assert words(axes.get_xticklabels()) == [HEBREW, "."]
    assert axes.yaxis.get_tick_params()["labelright"]
    assert not axes.yaxis.get_tick_params()["labelleft"]
    (plain,) = figure([VIEW]).get_axes()
    assert plain.get_xlim() == (0, 2)


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_every_script_is_drawn_without_a_complaint(kind, caplog):
    scripts = (HEBREW, ARABIC, "猫", "👍🏽", "हिन्दी", "e\u0301", "\U0010ffff", "\x1b", "$x$ $", "")
    view = AlignmentView(scripts, scripts, torch.eye(10), "猫 $")
    with caplog.at_level(logging.WARNING):
        assert len(picture([view], kind)) > 1000
    assert not caplog.records


def test_a_dollar_is_a_dollar():
    (axes,) = figure([AlignmentView(("$a$",), ("$b$",), [[1.0]], "$c$")]).get_axes()
    labels = [*axes.get_xticklabels(), *axes.get_yticklabels(), axes.title, axes._left_title]
    assert not any(label.get_parse_math() for label in labels if label.get_text())


def test_long_words_are_cut():
    (axes,) = figure([AlignmentView(("x" * 300,), ("y",), [[1.0]])]).get_axes()
    (word,) = words(axes.get_xticklabels())
    assert word == "x" * 23 + "…"


def test_a_long_sentence_keeps_to_a_size_that_can_be_opened():
    many = tuple(f"word{i}" for i in range(90))
    drawn = figure([AlignmentView(many, many, torch.eye(90))])
    assert max(drawn.get_size_inches()) < 20


def test_words_of_a_long_sentence_do_not_lie_on_each_other():
    many = tuple(f"word{i}" for i in range(110))
    drawn = figure([AlignmentView(("a", "b"), many, torch.zeros(110, 2))])
    drawn.draw_without_rendering()
    (axes,) = drawn.get_axes()
    boxes = [label.get_window_extent() for label in axes.get_yticklabels()]
    assert all(upper.y0 >= lower.y1 for upper, lower in pairwise(boxes))


def test_lines_between_cells_hide_no_weight_of_a_long_sentence():
    many = tuple("a" * 400)
    (axes,) = figure([AlignmentView(many, many, torch.eye(400))]).get_axes()
    (mesh,) = axes.collections
    cell = 14 / 400 * 72  # points
    assert mesh.get_linewidth()[0] < cell / 10


def test_numbers_stand_in_the_cells_of_sentences_up_to_twenty_words():
    (short,) = figure([AlignmentView(("a",) * 20, ("b",), torch.zeros(1, 20))]).get_axes()
    (long,) = figure([AlignmentView(("a",) * 21, ("b",), torch.zeros(1, 21))]).get_axes()
    assert len(short.texts) == 20
    assert not long.texts


def test_a_picture_is_a_file_of_its_kind_and_the_same_each_time():
    png, svg = picture([VIEW], "png"), picture([VIEW], "svg")
    assert png.startswith(b"\x89PNG")
    wide, high = struct.unpack(">II", png[16:24])
    assert 200 < wide < 1000
    assert 200 < high < 1000
    assert svg.lstrip().startswith(b"<?xml")
    assert svg == picture([VIEW], "svg")


def test_a_picture_needs_a_view():
    with pytest.raises(ShapeError, match="at least one view, got none"):
        figure([])
