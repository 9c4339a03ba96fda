"""The lines of ``make demo``: models that there are, and no others."""

import shlex

import demo
from regard.cli.commands import COMMANDS


def test_every_line_is_a_command_and_names_its_model_or_asks_the_usual_one():
    for line in demo.LINES.values():
        program, command, *_ = shlex.split(line)
        assert program == "regard" and command in COMMANDS


def test_models_that_are_not_there_are_left_out(monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(demo, "main", lambda words: asked.append(words[0]) or 0)
    assert demo.run(("en-fr-transformer", "en-bert", "en-tagger")) == 0
    assert asked == ["tag", "fill"]
    assert capsys.readouterr().out.count("$ regard") == 2
    monkeypatch.setattr(demo, "main", lambda words: 2)
    assert demo.run(("en-bert",)) == 2


def test_what_is_asked_about_a_picture_has_one(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(demo, "main", lambda words: asked.append(words) or 0)
    assert demo.run(("scene-captioner", "scene-vqa"), tmp_path) == 0
    made = tmp_path / "scene.png"
    assert made.stat().st_size > 0
    assert [words[words.index(str(made))] for words in asked] == [str(made)] * 2
