"""``regard zoo``: what ships, and its cards."""

import json

import pytest

from regard import zoo
from regard.cli.app import main
from regard.zoo import Zoo


@pytest.fixture(autouse=True)
def two(tmp_path, monkeypatch):
    """A zoo of two folders, with as much in them as listing takes."""
    for name, size in (("en-fr-transformer", 2_000_000), ("en-fr-bahdanau", 340_000)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").touch()
        (tmp_path / name / "model.safetensors").write_bytes(bytes(size))
    (tmp_path / "en-fr-transformer" / "CARD.md").write_text("# A card: é\n", encoding="utf-8")
    monkeypatch.setattr(zoo, "ZOO", Zoo(tmp_path))
    return tmp_path


def test_the_list_has_a_line_for_each(capsys):
    assert main(["zoo", "list"]) == 0
    assert capsys.readouterr().out == "en-fr-bahdanau\t0.3 MB\nen-fr-transformer\t2.0 MB\n"


def test_the_list_is_json_too(capsys):
    assert main(["zoo", "list", "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)
    assert first == {"name": "en-fr-bahdanau", "bytes": 340_000}
    assert second["name"] == "en-fr-transformer"


@pytest.mark.parametrize("words", [[], ["en-fr-transformer"]])
def test_a_card_is_printed_as_it_is(words, capsys):
    assert main(["zoo", "card", *words]) == 0
    assert capsys.readouterr().out == "# A card: é\n"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["card", "en-de"], "unknown model 'en-de'"),
        (["card", "en-fr-bahdanau"], "CARD.md: cannot be read"),
        (["card", "--json"], "--json goes with zoo list"),
        (["list", "en-fr-transformer"], "zoo list takes nothing else"),
    ],
)
def test_mistakes_are_one_line(words, complaint, capsys):
    assert main(["zoo", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert complaint in err
    assert len(err.strip().splitlines()) == 1
