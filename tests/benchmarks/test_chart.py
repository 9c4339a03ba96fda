import struct
from dataclasses import replace

import pytest

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure

from benchmarks.chart import caption, draw
from benchmarks.panels import CurvePanel, RatioPanel, curve_panels, ratio_panels


def test_the_chart_is_a_png_of_a_size_one_can_read(report):
    picture = draw(report)
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", picture[16:24])
    assert width > 1200 and height > 400


def test_without_curves_and_ratios_there_is_no_chart(report):
    assert draw(replace(report, parts=())) is None


def test_there_is_a_panel_per_quantity_and_one_of_ratios(report):
    (curve,) = curve_panels(report.parts)
    assert curve.title == "additive: peak memory"
    (ratios,) = ratio_panels(report.parts)
    assert ratios.goal == 1.05
    ((name, size, backward, value),) = ratios.points
    assert (name, size, backward) == ("softmax, causal", 1024, True)
    assert value == pytest.approx(1.1)


def test_the_caption_states_command_machine_and_outcome(report):
    text = caption(report)
    assert "regard bench kernels --quick" in text
    assert "goals met: 3 of 5" in text
    assert "Abacus 7, 2 threads, torch 2.13.0, load 0.75, 2025-03-04" in text


def axis():
    return Figure().subplots()


def test_a_curve_is_drawn_in_megabytes_with_its_exponent(report):
    (panel,) = curve_panels(report.parts)
    drawn = axis()
    panel.draw(drawn)
    (line,) = drawn.get_lines()
    assert line.get_xdata().tolist() == [1024, 2048]
    assert line.get_ydata().tolist() == [5.0, 10.0]
    assert [text.get_text() for text in drawn.get_legend().get_texts()] == ["regard, numba  N^1.00"]
    assert (drawn.get_xscale(), drawn.get_yscale(), drawn.get_ylabel()) == ("log", "log", "MB")


def test_a_ratio_is_drawn_hollow_for_training_with_lines_at_one_and_at_the_goal(report):
    (panel,) = ratio_panels(report.parts)
    drawn = axis()
    panel.draw(drawn)
    point, _legend, one, goal = drawn.get_lines()
    assert point.get_ydata().tolist() == pytest.approx([1.1])
    assert point.get_markerfacecolor() == "white"
    assert (one.get_ydata()[0], goal.get_ydata()[0]) == (1.0, 1.05)
    assert [label.get_text() for label in drawn.get_xticklabels()] == ["1024"]


def test_all_panels_are_on_the_chart(report, monkeypatch):
    seen = []
    monkeypatch.setattr(CurvePanel, "draw", lambda self, axis: seen.append(self.title))
    monkeypatch.setattr(RatioPanel, "draw", lambda self, axis: seen.append(self.title))
    draw(report)
    assert seen == ["additive: peak memory", "Additive score"]
