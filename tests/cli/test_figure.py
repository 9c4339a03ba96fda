"""``regard figure``: a picture in a file, or one sentence."""

import struct
import sys
from functools import partial
from xml.etree import ElementTree

import pytest

from regard.cli.app import main
from regard.lens.plots import figures
from regard.training.curves import curves

pytest.importorskip("matplotlib")


def test_a_png_is_written_in_full_size(tmp_path, capsys):
    file = tmp_path / "figure.png"
    assert main(["figure", "nadaraya-watson", "--out", str(file), "--seed", "1"]) == 0
    picture = file.read_bytes()
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", picture[16:24]) == (2400, 2240)
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"wrote {file}\n")
    assert [entry.name for entry in tmp_path.iterdir()] == ["figure.png"]


def test_an_svg_is_written_whatever_the_case_of_its_ending(tmp_path):
    file = tmp_path / "figure.SVG"
    assert main(["figure", "nadaraya-watson", "--out", str(file), "--kernel-width", "0.05"]) == 0
    assert ElementTree.parse(file).getroot().tag == "{http://www.w3.org/2000/svg}svg"


def test_the_figure_of_vanishing_gradients_is_written(tmp_path, monkeypatch):
    draw = figures["gradient-flow"]
    monkeypatch.setitem(figures._values, "gradient-flow", partial(draw, length=5))
    file = tmp_path / "figure.svg"
    assert main(["figure", "gradient-flow", "--out", str(file), "--seed", "1"]) == 0
    assert ElementTree.parse(file).getroot().tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["nadaraya-wattson"],
            "unknown figure 'nadaraya-wattson'. Did you mean 'nadaraya-watson'?",
        ),
        (["nadaraya-watson", "--kernel-width", "-1"], "gaussian needs a positive width, got -1.0"),
        (["nadaraya-watson", "--kernel-width", "nan"], "gaussian needs a positive width, got nan"),
        (["nadaraya-watson", "--seed", "x"], "x"),
        (["nadaraya-watson", "--seed", str(2**64)], "--seed needs a number of 64 bits"),
        (
            ["gradient-flow", "--kernel-width", "1"],
            "--kernel-width belongs to nadaraya-watson, gradient-flow has no kernels",
        ),
        (
            ["nadaraya-watson", "--out", "a.gif"],
            "--out needs a name that ends in .png or .svg, got 'a.gif'",
        ),
        (
            ["nadaraya-watson", "--out", "png"],
            "--out needs a name that ends in .png or .svg, got 'png'",
        ),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_two(words, message, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = words if "--out" in words else [*words, "--out", "figure.png"]
    assert main(["figure", *given]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_told(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("regard.lens.plots.save", lambda *given: None)
    file = tmp_path / "nowhere" / "figure.png"
    assert main(["figure", "nadaraya-watson", "--out", str(file)]) == 2
    assert f"{file}: cannot be written, No such file or directory" in capsys.readouterr().err


def test_without_matplotlib_the_extra_is_named(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["figure", "nadaraya-watson", "--out", str(tmp_path / "figure.png")]) == 2
    assert "pip install 'regard[plots]'" in capsys.readouterr().err


def test_the_curves_of_runs_are_drawn_from_their_logs(tmp_path, capsys):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "log.jsonl").write_text(
            '{"step": 10, "kind": "train", "loss": 3.5}\n'
            '{"step": 20, "kind": "valid", "bleu": 1.5, "aer": null, "best": true}\n'
        )
    runs = [str(tmp_path / "a"), str(tmp_path / "b")]
    file = tmp_path / "curves.svg"
    assert main(["figure", "curves", *runs, "--out", str(file)]) == 0
    assert ElementTree.parse(file).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert main(["figure", "curves", "--out", str(file)]) == 2
    assert "needs the folders of runs" in capsys.readouterr().err
    assert main(["figure", "gradient-flow", runs[0], "--out", str(file)]) == 2
    assert "takes no runs" in capsys.readouterr().err


def test_there_is_a_panel_for_everything_that_has_numbers():
    lines = [
        {"step": 10, "kind": "train", "loss": 3.5},
        {"step": 20, "kind": "valid", "bleu": 1.5, "aer": None, "best": True},
    ]
    drawn = curves({"run": lines})
    assert [axes.get_title(loc="left") for axes in drawn.axes] == ["training loss", "bleu"]
    assert [list(line.get_xdata()) for axes in drawn.axes for line in axes.lines] == [[10], [20]]
