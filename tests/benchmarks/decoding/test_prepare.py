"""Sources for everybody."""

import json

import pytest

from benchmarks.decoding import prepare as preparing
from benchmarks.decoding.decoders.protocol import SOURCES
from regard.data.vocabulary import learn
from regard.errors import InputError


def test_sources_have_their_end_and_the_shortest_comes_first(made, tmp_path):
    _, prepared, _ = made()
    rows = json.loads((tmp_path / SOURCES).read_text())
    assert len(rows) == prepared.sources == 9
    assert [len(row) for row in rows] == sorted(len(row) for row in rows)
    assert all(row[-1] == 3 and 3 not in row[:-1] for row in rows)
    assert prepared.tokens == sum(len(row) for row in rows)
    assert prepared.origin == "grammar, up to 40 words"
    assert prepared.model == "random weights"


def test_sources_of_files_are_the_first_column(tmp_path):
    file = tmp_path / "pairs.tsv"
    file.write_text("one two\tun deux\nthree\ttrois\n", encoding="utf-8")
    assert list(preparing.sources([file])) == ["one two", "three"]


def test_sources_that_are_too_long_are_left_out(monkeypatch):
    letters = learn("characters", ["abc"], size=20)
    a, b = letters.ids(["a", "b"])
    monkeypatch.setattr(preparing, "LONGEST", 3)
    assert preparing.encoded(["ab", "abc", "a", ""], letters) == [[a, 3], [a, b, 3]]
    with pytest.raises(InputError, match="sources of fewer than 3 tokens, got none"):
        preparing.encoded(["abca"], letters)


def test_the_model_that_nobody_trained_is_the_same_every_time():
    (first, _), (second, _) = (preparing.untrained(["some words"]) for _ in range(2))
    assert first.config.norm == "post" and first.config.target_vocab == 8000
    assert all((a == b).all() for a, b in zip(first.parameters(), second.parameters(), strict=True))
