"""The comparison for people and for programs, on numbers made by hand."""

import io
import json

import pytest
from rich.console import Console

from benchmarks.mechanisms.figure import drawn, picture
from benchmarks.mechanisms.report import markdown, outcome, pages, to_json


def test_the_page_has_a_row_per_mechanism(report):
    lines = markdown(report).splitlines()
    row = next(line for line in lines if line.startswith("| Bahdanau"))
    assert row == "| Bahdanau | 31.5 | 38.8 | 12.5% | 7.2% | 512 MB | 4,321 | 1,200 | 2.01 M |"
    none = next(line for line in lines if line.startswith("| no attention"))
    assert "| - | 512 MB |" in none
    assert "| no attention (GRU) | 25.0 | 15.0 |" in lines
    assert "| words | 0–10 (40) | 11–20 (30) |" in lines
    assert "GNMT, 4 + 4 layers: the process ended with 1: it broke" in lines
    about = next(line for line in lines if line.startswith("Trained"))
    assert "20 minutes each on train.tsv" in about and "case:mixed" in about


def test_the_terminal_shows_the_same(report):
    text = io.StringIO()
    console = Console(file=text, width=180)
    for page in pages(report):
        console.print(page)
    assert "31.5" in text.getvalue() and "it broke" in text.getvalue()


def test_json_has_everything_and_no_folder(report):
    data = json.loads(json.dumps(to_json(report), allow_nan=False))
    assert data["schema"] == "regard-bench-mechanisms/1"
    assert list(data["mechanisms"]) == ["none", "bahdanau"]
    assert data["mechanisms"]["bahdanau"]["aer"] == 0.0725
    assert data["mechanisms"]["none"]["lengths"][1] == {
        "label": "11–20",
        "sentences": 30,
        "bleu": 15.0,
    }
    assert data["settings"]["data"] == ["train.tsv"] and data["settings"]["test"] == ["test.tsv"]
    assert data["absent"] == {"gnmt-4": "the process ended with 1: it broke"}


def test_the_figure_has_a_line_per_mechanism_and_a_point_per_length(report):
    pytest.importorskip("matplotlib")
    figure = drawn(report)
    (axes,) = figure.axes
    assert [list(line.get_ydata()) for line in axes.lines] == [[25.0, 15.0], [36.5, 26.5]]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0–10\n(40)", "11–20\n(30)"]
    assert axes.get_ylim()[1] > 36.5
    assert picture(report, "png").startswith(b"\x89PNG")
    assert b"<svg" in picture(report, "svg")


def test_nothing_is_drawn_of_nothing(report):
    from dataclasses import replace

    empty = replace(report, parts=(replace(report.parts[0], entrants={}),))
    assert drawn(empty) is None
    found = outcome(empty)
    assert found.pictures["png"]() is None and not found.missed
    assert "| mechanism | BLEU |" in found.text
