"""Maps side by side in the terminal, as far as it is wide."""

import pytest
from rich.console import Console

from regard.errors import ShapeError
from regard.lens.alignments import AlignmentView, beside

FIRST = AlignmentView(("red", "dress"), ("robe", "rouge"), [[0.0, 1.0], [1.0, 0.0]], "first")
SECOND = AlignmentView(("red",), ("a", "b", "c"), [[1.0], [0.0], [1.0]], "second")


def printed(views, width):
    console = Console(width=width, color_system=None, force_terminal=False)
    with console.capture() as capture:
        console.print(beside(views))
    return capture.get().splitlines()


def test_maps_that_fit_share_their_lines():
    lines = printed([FIRST, SECOND], 80)
    assert len(lines) == 5
    assert lines[0].split() == ["first", "second"]
    assert [line.split()[0] for line in lines[2:]] == ["robe", "rouge", "c"]
    starts = {line.index(word) for line, word in zip(lines[2:], "abc", strict=True) if word == "c"}
    assert starts == {lines[2].rindex("a")}


def test_maps_that_do_not_fit_stand_below_each_other():
    lines = [line.strip() for line in printed([FIRST, SECOND], 24)]
    assert lines[0] == "first"
    assert "second" in lines[3:]


def test_words_are_not_cut_because_a_neighbour_needs_room():
    long = AlignmentView(("a",), ("incomprehensible",), [[1.0]])
    lines = printed([long, long, long], 100)
    assert lines[-1].count("incomprehensible") == 3


def test_a_model_that_all_share_is_named_once_others_with_each():
    here, there = (
        AlignmentView(("a",), ("b",), [[1.0]], f"head {n}", model="mine") for n in range(2)
    )
    other = AlignmentView(("a",), ("b",), [[1.0]], model="other")
    lines = printed([here, there], 80)
    assert [line.split("  ") for line in lines[:1]] == [["mine"]]
    assert lines[1].split() == ["head", "0", "head", "1"]
    assert printed([here, other], 80)[0].split() == ["mine:", "head", "0", "other"]


def test_a_drawing_needs_a_view():
    with pytest.raises(ShapeError, match="at least one view, got none"):
        beside([])
