"""``regard embed``: vectors of texts, and words by theirs."""

import io
import json
import math

import pytest
import torch

import regard
from regard.cli.app import main
from regard.data.running import GrammarText
from regard.data.running.codec import VocabularyConfig
from regard.tasks.fill_mask.task import FillMaskTask
from regard.tasks.word_vectors import WordVectorsTask
from regard.training import Budget, Settings, launch

GRAMMAR = GrammarText(max_words=7, vocabulary_sentences=300, valid_size=20)
BERT = {
    "embedding": {"dim": 16, "dropout": 0.0},
    "encoder": {
        "kind": "transformer",
        "model_dim": 16,
        "num_heads": 2,
        "num_layers": 1,
        "hidden_dim": 24,
        "position": "rotary",
    },
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("embed")
    budget = Budget(steps=2)
    words = WordVectorsTask(data=GRAMMAR, min_count=1)
    launch(Settings(task=words, budget=budget), "word-vectors", folder / "words")
    bert = FillMaskTask(data=GRAMMAR, vocabulary=VocabularyConfig(size=500))
    launch(Settings(task=bert, budget=budget), "bert-tiny", folder / "bert", changes=BERT)
    return {name: str(folder / name) for name in ("words", "bert")}


def told(capsys, *words):
    assert main(["embed", *words]) == 0
    return capsys.readouterr()


@pytest.mark.parametrize("name", ["words", "bert"])
def test_a_line_in_is_a_vector_out(runs, name, capsys, monkeypatch):
    lines = told(capsys, "The cat.", "The dog.", "--model", runs[name]).out.splitlines()
    width = {"words": 100, "bert": 16}[name]
    assert [len(line.split()) for line in lines] == [width, width]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"The cat.\n")))
    found = json.loads(told(capsys, "--model", runs[name], "--json").out)
    assert found["text"] == "The cat."
    assert found["vector"] == pytest.approx([float(one) for one in lines[0].split()], abs=1e-5)


def test_a_text_has_the_mean_of_the_vectors_of_its_words(runs):
    words = regard.load(runs["words"])
    wanted = (words.space.vector("the") + words.space.vector("cat")) / 2
    torch.testing.assert_close(words.vectors(["The cat qwrtz"])[0], wanted)
    assert not words.vectors(["qwrtz"]).any()
    bert = regard.load(runs["bert"])
    assert not bert.vectors([""]).any()
    assert bert.vectors(["the cat", "x " * 3000]).isfinite().all()


def test_the_mean_of_contextual_vectors_leaves_out_the_first_token(runs):
    bert = regard.load(runs["bert"])
    ids = [bert.model.config.start, *bert.codec.tokens.encode("the cat")]
    with torch.no_grad():
        features = bert.model.eval().text(torch.tensor([ids]), torch.tensor([len(ids)]))[0]
    torch.testing.assert_close(bert.vectors(["the cat"])[0], features[1:].mean(dim=0))


def test_two_words_have_a_cosine_and_a_correlation(runs, capsys):
    found = json.loads(
        told(capsys, "--model", runs["words"], "--similar", "cat", "dog", "--json").out
    )
    space = regard.load(runs["words"]).space
    a, b = space.vector("cat").double(), space.vector("dog").double()
    assert found["cosine"] == pytest.approx(float(a @ b / (a.norm() * b.norm())), abs=1e-5)
    wanted = torch.corrcoef(torch.stack([a, b]))[0, 1].item()
    assert math.isclose(found["pearson"], wanted, abs_tol=1e-6)


def test_a_word_in_two_places_has_one_static_vector_and_two_contextual_ones(runs, capsys, tmp_path):
    out = tmp_path / "bank.html"
    texts = "cat", "The cat is here.", "I see a cat."
    words = "--contextual", *texts, "--show", "--out", str(out)
    said = told(capsys, "--model", runs["bert"], *words)
    first, *rows = said.out.splitlines()
    assert first == "static: one vector, cosine 1.000"
    assert [float(row.split()[n]) for n, row in enumerate(rows)] == [1.0, 1.0]
    assert float(rows[0].split()[1]) < 1.0
    assert "I see a cat." in said.err and "I see a cat." in out.read_text()
    static = told(capsys, "--model", runs["words"], "--contextual", *texts).out.splitlines()
    assert static[1].startswith("1.000 1.000")


@pytest.mark.parametrize("end", ["png", "svg", "html"])
def test_groups_of_words_and_texts_are_drawn_on_a_plane(runs, end, capsys, tmp_path):
    pytest.importorskip("matplotlib")
    out = tmp_path / f"words.{end}"
    groups = "animals=cat,dog", "plain"
    found = told(
        capsys, "--model", runs["words"], "--picture", *groups[:1], "the", "--out", str(out)
    )
    assert [line.split("\t")[2] for line in found.out.splitlines()] == ["cat", "dog", "the"]
    assert out.stat().st_size > 1000
    if end != "png":
        assert "animals" in out.read_text()
    texts = "a cat", "a dog", "the red house"
    told(capsys, *texts, "--model", runs["words"], "--out", str(out))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--nearest", "cat", "--similar", "a", "b"], "got --nearest and --similar"),
        (["some text", "--nearest", "cat"], "got --nearest and texts"),
        (["--nearest", "qwrtz"], "there is no vector of 'qwrtz'"),
        (["--contextual", "cat", "one cat"], "two texts or more, got 1"),
        (["--picture", "cat", "dog", "the"], "--picture needs --out"),
        (["--similar", "cat", "dog", "--out", "x.png"], "not one number"),
        (["text", "--out", "x.pdf"], "ends in .png, .svg or .html"),
    ],
)
def test_a_mistake_is_one_sentence(runs, words, said, capsys):
    assert main(["embed", "--model", runs["words"], *words]) == 2
    assert said in " ".join(capsys.readouterr().err.split())
