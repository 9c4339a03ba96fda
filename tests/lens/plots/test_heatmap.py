"""The map of weights: every number in its cell, every word at its row."""

import struct
import sys

import pytest
import torch

from regard.errors import MissingExtraError, ShapeError
from regard.lens.plots import heatmap, save

matplotlib = pytest.importorskip("matplotlib")

WORDS = ["le", "chat", "noir"]
WEIGHTS = torch.tensor([[0.25, 0.75], [1.0, 0.0], [0.5, 0.004]])


def panels(figure):
    return figure.get_axes()


def cells(axes):
    (mesh,) = axes.collections
    return mesh.get_array().reshape(mesh._coordinates.shape[0] - 1, -1)


def test_rows_are_queries_from_the_top_and_columns_are_keys():
    (axes,) = panels(heatmap(WEIGHTS, queries=WORDS, keys=["the", "cat"]))
    assert cells(axes).tolist() == WEIGHTS.tolist()
    assert axes.get_ylim() == (3, 0)
    assert [label.get_text() for label in axes.get_yticklabels()] == WORDS
    assert [label.get_text() for label in axes.get_xticklabels()] == ["the", "cat"]


def test_keys_are_the_queries_unless_they_are_given():
    (axes,) = panels(heatmap(torch.eye(3), queries=WORDS))
    assert [label.get_text() for label in axes.get_xticklabels()] == WORDS


def test_rows_and_columns_without_words_are_numbered():
    (axes,) = panels(heatmap(WEIGHTS))
    assert [label.get_text() for label in axes.get_yticklabels()] == ["0", "1", "2"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0", "1"]
    (wide,) = panels(heatmap(torch.rand(3, 90)))
    numbers = [label.get_text() for label in wide.get_xticklabels()]
    assert [int(number) for number in numbers if number] == list(range(0, 90, 3))


def test_words_may_be_anything():
    (axes,) = panels(heatmap(WEIGHTS, queries=range(5, 8), keys=iter([None, "$x$"]), titles=[7]))
    assert [label.get_text() for label in axes.get_yticklabels()] == ["5", "6", "7"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["None", "$x$"]
    assert axes.get_title("left") == "7"


def test_a_notebook_shows_the_picture_in_its_own_size():
    drawn = heatmap(WEIGHTS)
    content, size = drawn._repr_png_()
    assert content.startswith(b"\x89PNG")
    pixels = struct.unpack(">II", content[16:24])
    inches = drawn.get_size_inches()
    assert [*size.values()] == [round(96 * length) for length in inches]
    assert [*pixels] == pytest.approx([drawn.dpi * length for length in inches], abs=1)


def test_weights_are_written_into_their_cells_and_zero_is_told_from_almost_zero():
    (axes,) = panels(heatmap(WEIGHTS, queries=WORDS, keys=["the", "cat"]))
    at = {text.get_position(): text for text in axes.texts}
    assert [at[0.5, row + 0.5].get_text() for row in range(3)] == ["0.25", "1.00", "0.50"]
    assert [at[1.5, row + 0.5].get_text() for row in range(3)] == ["0.75", "0", "0.00"]
    assert at[1.5, 2.5].get_alpha() < at[1.5, 0.5].get_alpha()


def test_letters_are_light_on_dark_cells_and_dark_on_light_ones():
    (axes,) = panels(heatmap(WEIGHTS, queries=WORDS, keys=["the", "cat"]))
    colours = {
        text.get_text(): sum(matplotlib.colors.to_rgb(text.get_color())) for text in axes.texts
    }
    assert colours["1.00"] > 2
    assert colours["0"] < 1


def test_many_keys_are_drawn_without_numbers():
    words = [str(i) for i in range(13)]
    (axes,) = panels(heatmap(torch.rand(13, 13), queries=words))
    assert not axes.texts


def test_every_head_has_a_panel_and_all_share_their_colours():
    weights = torch.stack([WEIGHTS, WEIGHTS / 2, WEIGHTS / 4, WEIGHTS, WEIGHTS]).double()
    drawn = panels(heatmap(weights, queries=WORDS, keys=["the", "cat"]))
    assert [axes.get_title("left") for axes in drawn] == [f"head {i}" for i in range(5)]
    assert [cells(axes).tolist() for axes in drawn] == weights.tolist()
    assert {axes.collections[0].get_clim() for axes in drawn} == {(0.0, 1.0)}


def test_leading_axes_are_panels_in_order_and_titles_can_be_given():
    weights = torch.rand(2, 1, 3, 2)
    drawn = panels(heatmap(weights, queries=WORDS, keys=["a", "b"], titles=["one", "two"]))
    assert [axes.get_title("left") for axes in drawn] == ["one", "two"]
    assert torch.tensor(cells(drawn[1])).allclose(weights[1, 0])


def test_negative_weights_have_a_colour_and_a_sign_of_their_own():
    (axes,) = panels(heatmap(-WEIGHTS, queries=WORDS, keys=["the", "cat"]))
    (mesh,) = axes.collections
    assert mesh.get_clim() == (-1.0, 1.0)
    assert "−0.75" in [text.get_text() for text in axes.texts]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_any_precision_is_drawn_with_or_without_a_gradient(dtype):
    weights = WEIGHTS.to(dtype).requires_grad_()
    (axes,) = panels(heatmap(weights, queries=WORDS, keys=["the", "cat"]))
    assert cells(axes).tolist() == WEIGHTS.to(dtype).tolist()


def test_weights_of_nothing_but_zeros_are_drawn():
    (axes,) = panels(heatmap(torch.zeros(3, 3), queries=WORDS))
    assert {text.get_text() for text in axes.texts} == {"0"}


def test_words_and_titles_are_counted():
    with pytest.raises(ShapeError, match=r"for 3 queries and 3 keys.* got \(3, 2\)"):
        heatmap(WEIGHTS, queries=WORDS)
    with pytest.raises(ShapeError, match=r"at least one of each, got \(0, 3\)"):
        heatmap(torch.zeros(0, 3), queries=[], keys=WORDS)
    with pytest.raises(ShapeError, match=r"a title for each of 1 panels, got \['a', 'b'\]"):
        heatmap(torch.eye(3), queries=WORDS, titles=["a", "b"])


def test_drawing_leaves_no_settings_behind_and_gives_the_same_bytes(tmp_path):
    before = dict(matplotlib.rcParams)
    for name in ("one", "other"):
        with (tmp_path / name).open("wb") as file:
            save(heatmap(torch.eye(3), queries=WORDS), file, "svg")
    assert dict(matplotlib.rcParams) == before
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"heatmap needs .* pip install 'regard\[plots\]'"):
        heatmap(torch.eye(3), queries=WORDS)
