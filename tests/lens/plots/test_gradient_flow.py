"""The figure of the vanishing gradient: what is drawn where."""

import sys

import pytest
import torch

from regard.cells import GRU, RNN
from regard.errors import MissingExtraError
from regard.lens import gradient_flow as measure
from regard.lens.plots import figures, gradient_flow, save
from regard.lens.plots.gradient_flow import WIDTH

matplotlib = pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def figure():
    return gradient_flow(seed=3, length=12)


def drawn(axes):
    return {line.get_label(): torch.as_tensor(line.get_ydata()) for line in axes.get_lines()}


def test_every_cell_has_a_curve_in_both_panels(figure):
    left, right = figure.axes
    assert list(drawn(left)) == ["RNN", "LSTM", "LSTM, by its memory c", "GRU"]
    assert list(drawn(right)) == list(drawn(left))
    assert [axes.get_title("left") for axes in (left, right)] == [
        "Gates as they are drawn",
        "Gates that begin open, bias 3",
    ]
    assert left.get_yscale() == "log"
    assert len(drawn(left)["RNN"]) == 12


def test_open_gates_keep_the_gradient_and_a_network_without_gates_does_not_change(figure):
    left, right = (drawn(axes) for axes in figure.axes)
    assert torch.equal(left["RNN"], right["RNN"])
    for name in ("LSTM", "LSTM, by its memory c", "GRU"):
        assert right[name][-1] > 10 * left[name][-1]


def test_the_curves_are_those_of_the_measure(figure):
    x = torch.randn(4, 12, WIDTH, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    left, right = (drawn(axes) for axes in figure.axes)
    for kind, curve, given in (
        (RNN, left["RNN"], {}),
        (GRU, right["GRU"], {"update_bias": 3.0}),
    ):
        torch.manual_seed(3)
        assert torch.equal(measure(kind(WIDTH, WIDTH, **given).double(), x), curve)


def test_drawing_leaves_neither_settings_nor_randomness_behind():
    before, state = dict(matplotlib.rcParams), torch.get_rng_state()
    gradient_flow(length=2)
    assert dict(matplotlib.rcParams) == before
    assert torch.equal(torch.get_rng_state(), state)


def test_the_same_figure_gives_the_same_bytes(figure, tmp_path):
    for name, picture in (("one", figure), ("other", gradient_flow(seed=3, length=12))):
        with (tmp_path / name).open("wb") as file:
            save(picture, file, "svg")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_the_figure_is_found_by_name():
    assert figures["gradient-flow"] is gradient_flow


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"gradient-flow needs .* 'regard\[plots\]'"):
        gradient_flow()
