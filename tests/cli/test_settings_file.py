"""Settings in files of several forms."""

import sys

import pytest

from regard.cli.train import read_settings
from regard.errors import InputError

SETTINGS = {"rate": 0.5, "optimisation": {"clip": 2.0}}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.json", '{"rate": 0.5, "optimisation": {"clip": 2.0}, "ancestor": null}'),
        ("x.toml", "rate = 0.5\n[optimisation]\nclip = 2.0\n"),
        ("x.yaml", "rate: 0.5\noptimisation:\n  clip: 2.0\n"),
    ],
)
def test_every_form_says_the_same(name, text, tmp_path):
    if name.endswith("yaml"):
        pytest.importorskip("yaml")
    (tmp_path / name).write_text(text)
    assert read_settings(tmp_path / name) == SETTINGS


def test_yaml_without_its_library_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    (tmp_path / "x.yaml").write_text("rate: 0.5")
    with pytest.raises(InputError, match=r"needs PyYAML, .* pip install pyyaml"):
        read_settings(tmp_path / "x.yaml")


def test_a_run_of_before_there_were_tasks_is_understood(tmp_path):
    (tmp_path / "config.json").write_text('{"model": {"kind": "plain"}, "vocabulary": {"size": 9}}')
    assert read_settings(tmp_path / "config.json") == {
        "task": {"kind": "translation", "vocabulary": {"size": 9}},
        "model": {"kind": "plain"},
    }
