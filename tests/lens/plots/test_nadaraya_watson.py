"""The figure itself: what is drawn where, and that nothing is left behind."""

import sys

import pytest

from regard.errors import ChoiceError, MissingExtraError, RangeError
from regard.lens.plots import figures, nadaraya_watson, save
from regard.lens.plots.nadaraya_watson import Points

matplotlib = pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def figure():
    return nadaraya_watson(seed=4, kernel_width=0.7, widths=(0.2, 0.9))


def test_kernels_stand_above_and_widths_below(figure):
    above, below = (block.get_axes() for block in figure.subfigs)
    assert [axes.get_title("left") for axes in above[:3]] == [
        "Gaussian, width 0.7",
        "Boxcar, width 0.7",
        "Epanechnikov, width 0.7",
    ]
    assert [axes.get_title("left") for axes in below[:2]] == [
        "Gaussian, width 0.2",
        "Gaussian, width 0.9",
    ]
    assert len(above) == 6
    assert len(below) == 4


def test_every_curve_has_the_points_the_truth_and_a_map_of_weights(figure):
    points = Points.draw(4)
    for block in figure.subfigs:
        axes = block.get_axes()
        for curve, weights in zip(axes[: len(axes) // 2], axes[len(axes) // 2 :], strict=True):
            dots, truth, fit = curve.get_lines()
            assert dots.get_ydata().tolist() == points.y.tolist()
            assert len(truth.get_ydata()) == len(fit.get_ydata()) == 241
            (mesh,) = weights.collections
            assert mesh.get_array().shape == (100, 241)
            assert mesh.get_array().sum(axis=0).tolist() == pytest.approx([1.0] * 241)


def test_drawing_leaves_no_settings_behind():
    before = dict(matplotlib.rcParams)
    nadaraya_watson(widths=(0.5,))
    assert dict(matplotlib.rcParams) == before


def test_widths_are_checked():
    with pytest.raises(RangeError, match="gaussian needs a positive width, got 0"):
        nadaraya_watson(kernel_width=0.0)
    with pytest.raises(RangeError, match="needs at least one width, got none"):
        nadaraya_watson(widths=())


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(
        MissingExtraError, match=r"nadaraya-watson needs .* pip install 'regard\[plots\]'"
    ):
        nadaraya_watson()


def test_figures_are_found_by_name():
    assert figures["nadaraya-watson"] is nadaraya_watson
    with pytest.raises(
        ChoiceError, match=r"unknown figure 'nadaraya'\. Did you mean 'nadaraya-watson'"
    ):
        figures["nadaraya"]


def test_the_same_figure_gives_the_same_bytes(figure, tmp_path):
    again = nadaraya_watson(seed=4, kernel_width=0.7, widths=(0.2, 0.9))
    for name, drawn in (("one", figure), ("other", again)):
        with (tmp_path / name).open("wb") as file:
            save(drawn, file, "svg")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()
