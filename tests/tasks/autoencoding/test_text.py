"""Autoencoding of texts: learned, used, drawn, measured, packed."""

import io
import json

import pytest
import torch

import regard
from regard.cli.app import main
from regard.decoding import Beam
from regard.errors import InputError, RangeError, ShapeError
from regard.tasks.autoencoding import Reconstructor, TextReconstructor
from regard.training import launch
from regard.training import log as logs
from regard.zoo.packing import pack
from tasks.autoencoding.small import SMALL, sentences, settings, task


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    launch(settings(task(folder), 120), "gru-autoencoder", folder / "run", changes=SMALL)
    return folder / "run"


@pytest.fixture
def predictor(run):
    return regard.load(run)


def test_it_learns_a_few_sentences_by_heart(run):
    first, *_, last = [line for line in logs.read(run / "log.jsonl") if line["kind"] == "train"]
    assert last["loss"] < first["loss"] / 10
    valid = [line for line in logs.read(run / "log.jsonl") if line["kind"] == "valid"][-1]
    assert valid["exact"] > 0.9 and valid["token_accuracy"] > 0.97


def test_a_text_comes_back_alone_as_among_others(predictor):
    assert type(predictor) is TextReconstructor and isinstance(predictor, Reconstructor)
    texts = sentences()
    together = predictor([texts[0], " ", *texts[1:]], looks=True)
    assert together[0].exact and together[0].reconstruction == texts[0]
    assert together[1].text == together[1].reconstruction == "" and together[1].latent is None
    for one in (together[0], together[5]):
        alone = predictor(one.text, looks=True)
        assert alone.reconstruction == one.reconstruction
        torch.testing.assert_close(alone.latent, one.latent)
        assert alone.log_prob == pytest.approx(one.log_prob, abs=1e-4)
    same, count = together[0].right
    assert same == count == len(together[0].words)
    assert float(together[0].weights.sum()) == pytest.approx(1)
    assert predictor(texts[0], strategy=Beam(size=3)).exact


def test_what_is_not_known_cannot_come_back_and_is_counted(predictor):
    sample = predictor("Zyx qqq.")
    assert sample.unknown >= 2 and not sample.exact
    assert "≠" in shown(sample)


def shown(sample):
    from rich.console import Console

    file = io.StringIO()
    Console(file=file, width=80).print(sample)
    return file.getvalue()


def test_what_lies_between_two_texts_begins_and_ends_with_them(predictor):
    one, other = sentences()[:2]
    way = predictor.between(one, other, steps=4)
    assert len(way) == 4 and (way[0], way[-1]) == (one, other)
    latents = predictor.latents([one, other])
    assert latents.shape == (2, 24)
    assert predictor.written(latents) == [one, other]
    assert all(len(text.split()) <= 2 for text in predictor.written(latents, longest=2))
    assert predictor.latents([]).shape == (0, 24)


def test_bad_input_is_one_sentence(predictor):
    with pytest.raises(InputError, match=r"text 2: needs words to have a latent, got a blank"):
        predictor.latents(["a", " "])
    with pytest.raises(ShapeError, match=r"written needs latents \(T, 24\), got \(24,\)"):
        predictor.written(torch.zeros(24))
    with pytest.raises(RangeError, match="longest to be at least 1"):
        predictor.written(torch.zeros(1, 24), longest=0)
    with pytest.raises(RangeError, match="two steps or more, got 1"):
        predictor.between("a", "b", steps=1)


def test_a_text_of_thousands_of_tokens_is_read_from_its_beginning(predictor):
    sample = predictor("the " * 3000)
    assert sample.cut == 3000 - 1024 and len(sample.words) == 1024
    assert not sample.exact and sample.right[1] >= 3000


def test_packed_it_answers_as_before(run, tmp_path):
    made = pack(run, tmp_path / "packed", precision="float32", sentences=5)
    assert made.comparison.changed == 0 and made.comparison.measure == "exact"
    assert "regard reconstruct --file" in (tmp_path / "packed" / "CARD.md").read_text()
    text = sentences()[0]
    assert regard.load(tmp_path / "packed")(text).reconstruction == text


def test_reconstruct_tells_a_line_for_a_line(run, capsys, monkeypatch, tmp_path):
    texts, model = sentences()[:3], ["--model", str(run)]
    assert main(["reconstruct", *texts, *model, "--show"]) == 0
    told = capsys.readouterr()
    assert told.out.splitlines() == texts and "= " in told.err
    assert main(["reconstruct", texts[0], *model, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["exact"] and len(found["latent"]) == 24 and len(found["weights"]) > 1
    (tmp_path / "x.txt").write_text("\n".join(texts) + "\n")
    assert main(["reconstruct", "--file", str(tmp_path / "x.txt"), *model, "--first", "2"]) == 0
    assert capsys.readouterr().out.splitlines() == texts[:2]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(f"{texts[1]}\n\n".encode())))
    assert main(["reconstruct", *model]) == 0
    assert capsys.readouterr().out.splitlines() == [texts[1], ""]


def test_reconstruct_draws_one_text_and_the_space_of_several(run, capsys, tmp_path):
    texts, model = sentences()[:4], ["--model", str(run)]
    for end in ("png", "svg", "html"):
        out = tmp_path / f"x.{end}"
        assert main(["reconstruct", texts[0], *model, "--out", str(out)]) == 0
        assert out.stat().st_size > 1000
    for method in ("pca", "tsne"):
        space = tmp_path / f"{method}.svg"
        asked = ["--space", str(space), "--method", method]
        assert main(["reconstruct", *texts, *model, *asked]) == 0
        assert "tokens" in space.read_text()
    capsys.readouterr()
    for words, said in (
        (["a", "b", "--out", "x.png"], "--out is for one text, got 2"),
        (["a", "b", "--space", "x.png"], "three texts or pictures at least, got 2"),
        (["a", "--space", "x.html"], "ends in .png or .svg"),
        (["a", "--first", "0"], "--first needs to be at least 1"),
    ):
        assert main(["reconstruct", *words, *model]) == 2
        assert said in capsys.readouterr().err


def test_evaluate_tells_what_came_back_by_length_and_significance(run, capsys, tmp_path):
    (tmp_path / "test.txt").write_text("\n".join(sentences()) + "\n\n")
    data = ["--data", str(tmp_path / "test.txt")]
    assert main(["evaluate", str(run), *data, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["test"] == {"texts": 24} and told["scores"]["exact"] > 90
    interval = told["intervals"]["exact"]
    assert interval["low"] <= told["scores"]["exact"] <= interval["high"]
    assert sum(bucket["texts"] for bucket in told["by_length"]) == 24
    other = f"{run}/../run"
    assert main(["evaluate", str(run), other, "--sentences", "20"]) == 0
    out = capsys.readouterr().out
    assert "Back exactly" in out and "Compared with" in out
    assert main(["evaluate", str(run), "--columns", "1", "2"]) == 2
    assert "are for pictures" in capsys.readouterr().err
