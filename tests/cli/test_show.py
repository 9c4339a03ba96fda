"""``regard show``: what looks at what, in the terminal and as a file."""

import re

import pytest

from cli.translating import SOURCES, by_heart, untrained
from regard.cli import models
from regard.cli.app import main


@pytest.fixture(autouse=True)
def shelf(monkeypatch):
    """Translators by name."""
    known = {
        None: by_heart,
        "b": untrained,
        "t": lambda: untrained("transformer-tiny"),
        "c": lambda: untrained("convs2s-small"),
        "plain": lambda: untrained("rnn-plain-small"),
    }
    monkeypatch.setattr(models, "predictor", lambda name, device: known[name]())


def rows(out):
    return [line.split()[0] for line in out.splitlines() if line.strip()]


def titles(path):
    return re.findall(r"<h2[^>]*><bdi>(.*?)</bdi>", path.read_text())


def test_a_translation_is_drawn_in_the_terminal(capsys):
    assert main(["show", SOURCES[0]]) == 0
    out, err = capsys.readouterr()
    assert "the black cat → le chat noir" in out
    assert rows(out)[-3:] == ["le", "chat", "noir"]
    assert err == ""


def test_a_given_translation_has_a_row_per_word(capsys):
    assert main(["show", "red dress", "--model", "t", "--translation", "robe bleue ."]) == 0
    out = capsys.readouterr().out
    assert "red dress → robe bleue ." in out
    assert rows(out)[-3:] == ["robe", "bleue", "."]


@pytest.mark.parametrize("end", ["png", "svg"])
def test_a_picture_is_written(end, tmp_path, capsys):
    path = tmp_path / f"x.{end}"
    assert main(["show", SOURCES[0], "--out", str(path)]) == 0
    assert path.stat().st_size > 1000
    assert capsys.readouterr() == ("", f"wrote {path}\n")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--layer", "1"], ["layer 1, mean of its heads"]),
        (["--layer", "-1", "--head", "2"], ["layer 1, head 2"]),
        (["--layer", "0", "--head", "all"], [f"layer 0, head {h}" for h in range(3)]),
        (["--head", "mean"], [f"layer {n}, mean of its heads" for n in range(2)]),
        (["--head", "1"], [f"layer {n}, head 1" for n in range(2)]),
        (["--head", "all"], [f"layer {n}, head {h}" for n in range(2) for h in range(3)]),
        (["--head", "alignment"], ["robe rouge"]),
    ],
    ids=lambda words: "-".join(words) if isinstance(words, list) else None,
)
def test_heads_are_chosen_by_layer_and_number(words, expected, tmp_path):
    path = tmp_path / "x.html"
    said = ["--model", "t", "--translation", "robe rouge", "--out", str(path)]
    assert main(["show", "red dress", *said, *words]) == 0
    assert titles(path) == expected


def test_several_models_stand_side_by_side(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    path = tmp_path / "x.html"
    said = ["--translation", "robe rouge", "--model", "b", "t", "c"]
    assert main(["show", "red dress", *said, "--out", str(path)]) == 0
    assert titles(path) == ["b", "t", "c"]
    capsys.readouterr()
    assert main(["show", "red dress", *said]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.split() == ["b", "t", "c"] for line in lines)


def test_a_model_that_does_not_look_is_left_out_beside_others(tmp_path, capsys):
    path = tmp_path / "x.html"
    said = ["--model", "plain", "b", "--translation", "robe", "--out", str(path)]
    assert main(["show", "red dress", *said]) == 0
    assert '<p class="model"><bdi>b</bdi></p>' in path.read_text()
    assert "plain: left out, an alignment needs a model that looks" in capsys.readouterr().err


def test_every_row_of_the_drawing_sums_to_all_of_it(tmp_path):
    path = tmp_path / "x.html"
    said = ["--model", "t", "--translation", "robe rouge", "--head", "all", "--out", str(path)]
    for unit, rows in (([], ["robe", "rouge"]), (["--tokens"], [*"robe␣rouge", "(end)"])):
        assert main(["show", "red dress", *said, *unit]) == 0
        looks = re.findall(r'data-looks="(\S+) ', path.read_text())
        assert looks == ["100.0"] * 6 * len(rows)
        heads = re.findall(r'<th scope="row"[^>]*><bdi>(.*?)</bdi>', path.read_text())
        assert heads == rows * 6


def test_a_picture_names_its_model(tmp_path, capsys):
    path = tmp_path / "x.html"
    assert main(["show", "red dress", "--model", "b", "--out", str(path)]) == 0
    assert '<p class="model"><bdi>b</bdi></p>' in path.read_text()
    assert main(["show", "red dress", "--model", "b"]) == 0
    assert "\nb\n" in capsys.readouterr().out


def test_letters_without_a_font_are_named(tmp_path, capsys):
    path = tmp_path / "x.png"
    said = ["--model", "b", "--translation", "x \U000e0fff", "--out", str(path)]
    assert main(["show", "red dress", *said]) == 0
    assert "no font here has \U000e0fff" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([" "], "needs a sentence and a translation, got a blank one"),
        (["x", "--model", "b", "--translation", ""], "got a blank one"),
        (["x", "--model", "plain"], "does not"),
        (["x", "--out", "x.gif"], "ends in .png, .svg, .html, .json or .npy"),
        (["x", "--model", "b", "--layer", "3"], "this model has 1 layer, counted from 0"),
        (
            ["x", "--model", "t", "--head", "3"],
            "this model has 3 heads, counted from 0, got",
        ),
        (["x", "--model", "t", "--layer", "-3"], "this model has 2 layers"),
        (["x", "--head", "most"], "--head needs a number from 0, mean, all or alignment"),
        (["x", "--head", "alignment", "--layer", "1"], "leave out --layer"),
    ],
    ids=lambda words: "-".join(words) if isinstance(words, list) else None,
)
def test_mistakes_are_one_line(words, complaint, capsys):
    assert main(["show", *words]) == 2
    err = capsys.readouterr().err
    assert complaint in err
    assert len(err.strip().splitlines()) == 1
