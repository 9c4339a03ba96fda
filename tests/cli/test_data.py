"""``regard data``: lists datasets, fetches one, or says one sentence."""

import sys
from itertools import islice

import pytest

from regard.cli.app import main
from regard.data.datasets import DATASETS, Dataset, Part
from regard.data.grammar import Grammar


def test_the_list_has_a_line_for_every_dataset(capsys):
    assert main(["data", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("\t")[0] for line in lines] == list(DATASETS)
    assert all(len(line.split("\t")) == 3 for line in lines)


def test_get_shows_the_licence_and_prints_the_paths(tmp_path, capsys, monkeypatch):
    toy = Dataset("toy", "a toy", "CC0", "nobody", (Part("https://localhost/x", "toy.txt"),))
    monkeypatch.setitem(DATASETS._values, "toy", toy)
    (tmp_path / "data" / "toy").mkdir(parents=True)
    (tmp_path / "data" / "toy" / "toy.txt").write_text("x")
    monkeypatch.chdir(tmp_path)
    assert main(["data", "get", "toy"]) == 0
    out, err = capsys.readouterr()
    assert out == "data/toy/toy.txt\n"
    assert err.startswith("toy: licence CC0; from nobody\n")
    assert main(["data", "get", "toy", "--out", str(tmp_path / "data" / "toy")]) == 0
    assert capsys.readouterr().out == f"{tmp_path}/data/toy/toy.txt\n"


def test_words_are_printed_as_aligners_read_them_a_line_for_every_line(
    tmp_path, capsys, monkeypatch
):
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("I love you.\tJe t'aime.\n\nGo!\tVa-t'en !\n")
    with pairs.open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        for name in (str(pairs), "-"):
            assert main(["data", "words", name]) == 0
            assert capsys.readouterr().out.splitlines() == [
                "I love you . ||| Je t' aime .",
                " ||| ",
                "Go ! ||| Va-t'en !",
            ]


def test_pairs_of_the_grammar_are_printed(capsys):
    assert main(["data", "grammar", "--pairs", "3", "--max-words", "7"]) == 0
    lines = capsys.readouterr().out.splitlines()
    expected = islice(Grammar(max_words=7), 3)
    assert lines == [f"{pair.source_text}\t{pair.target_text}" for pair in expected]


@pytest.mark.parametrize("words", [["--pairs", "0"], ["--pairs", "3", "--max-words", "61"]])
def test_the_grammar_needs_numbers_it_can_serve(words, capsys):
    assert main(["data", "grammar", *words]) == 2
    assert "needs" in capsys.readouterr().err


def test_words_stand_in_parallel_files_too(tmp_path, capsys):
    (tmp_path / "a").write_text("one, two\n")
    (tmp_path / "b").write_text("un, deux\n")
    assert main(["data", "words", str(tmp_path / "a"), str(tmp_path / "b")]) == 0
    assert capsys.readouterr().out == "one , two ||| un , deux\n"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["get"], "parameter NAME requires an argument"),
        (["get", "tatoeba-en-fx"], "Did you mean 'tatoeba-en-f"),
        (["list", "tatoeba-en-fr"], "Unused Tokens"),
        (["words"], "parameter FILE requires an argument"),
        (["gett"], "Did you mean 'get'"),
        (["grammar", "--pairs", "many"], "--pairs"),
        (["get", "tatoeba-en-fr", "more"], "Unused Tokens: ['more']"),
    ],
)
def test_mistakes_are_one_line(words, complaint, capsys):
    assert main(["data", *words]) == 2
    err = capsys.readouterr().err
    assert complaint in err
    assert err.count("\n") == 1


def test_a_port_that_nobody_listens_to_is_one_line(tmp_path, capsys, monkeypatch):
    toy = Dataset("toy", "a toy", "CC0", "nobody", (Part("http://127.0.0.1:9/x", "toy.txt"),))
    monkeypatch.setitem(DATASETS._values, "toy", toy)
    assert main(["data", "get", "toy", "--out", str(tmp_path)]) == 2
    assert "needs a network that reaches 127.0.0.1" in capsys.readouterr().err
