"""Tagging and classification as tasks: learned, used, measured, packed; bad data is told."""

import json

import numpy as np
import pytest
import torch
from torch.testing import assert_close

import regard
from regard.cli.app import main
from regard.data.annotated import Example
from regard.errors import InputError
from regard.measures import Hits, Resampling, compare_counts
from regard.storage.run_folder import read_best
from regard.tasks.labelling.corpus import encode
from regard.tasks.labelling.data import labels_of
from regard.tasks.tagging import TaggingTask
from regard.tasks.text_classification import TextClassificationTask
from regard.training import launch
from regard.training import log as logs
from regard.zoo.packing import pack
from tasks.labelling.small import MODELS, files, settings

STEPS = 200


@pytest.fixture(scope="module", params=list(MODELS))
def run(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("labelling")
    model, changes = MODELS[request.param]
    task = files(folder, request.param)
    launch(settings(task, STEPS), model, folder / "run", changes=changes)
    return folder / "run"


def kind_of(run):
    return json.loads((read_best(run, lambda place: place) / "config.json").read_text())["task"][
        "kind"
    ]


def test_it_learns(run):
    last = [line for line in logs.read(run / "log.jsonl") if line.get("kind") == "valid"][-1]
    assert last["accuracy"] > 0.85
    assert 0 < last["macro_f1"] <= 1
    assert last["loss"] < 0.6


def test_one_text_gives_a_sample_and_several_a_list_of_them(run):
    predictor = regard.load(run)
    one = predictor("The black cat ate the mouse.", looks=True)
    assert one.words == ("The", "black", "cat", "ate", "the", "mouse", ".")
    assert one.to_json()["text"] == "The black cat ate the mouse."
    assert "<table>" in one._repr_html_() and "<table>" in predictor._repr_html_()
    for view in one.views():
        assert view.rows
    if kind_of(run) == "tagging":
        assert one.tags[0] == "DET" and {*one.tags} <= {*predictor.codec.labels}
        assert str(one).startswith(f"The/DET black/{one.tags[1]}")
        given = predictor([["The", "black", "cat"], ""])
        assert given[0].words == ("The", "black", "cat")
        assert given[1].words == ()
        assert_close(one.distribution.sum(dim=-1), torch.ones(7))
    else:
        assert one.label == "en"
        assert predictor("Le chat noir a mangé la souris.").label == "fr"
        assert_close(one.weights.sum(), torch.tensor(1.0))
        assert sum(one.probabilities.values()) == pytest.approx(1, abs=1e-5)
        assert predictor([""])[0].label == ""


def test_an_answer_does_not_depend_on_its_neighbours(run):
    predictor = regard.load(run)
    texts = ["I love you.", "The red dress of the old queen is here.", "red dress", "???"]
    alone = [predictor(text) for text in texts]
    together = predictor(texts)
    assert [one.labels for one in together] == [one.labels for one in alone]


def test_long_and_strange_texts_are_answered_and_told(run):
    predictor = regard.load(run)
    predictor.longest = 5
    one = predictor("a b c d e f g")
    assert (len(one.words), one.cut) == (5, 2)
    strange = predictor("слово 漢字")
    assert strange.unknown == len(strange.words) == 2


def test_packed_it_answers_as_before_and_its_card_tells_the_labels(run, tmp_path):
    made = pack(run, tmp_path / "packed", sentences=20)
    assert made.comparison.examples == 20
    assert made.comparison.after > 80
    text = "The cat sees the dog."
    assert regard.load(tmp_path / "packed")(text).labels == regard.load(run)(text).labels
    assert "| labels |" in (made.folder / "CARD.md").read_text()


def test_the_verb_prints_a_line_for_a_line_and_json(run, capsys, tmp_path):
    verb = {"tagging": "tag", "text-classification": "classify"}[kind_of(run)]
    assert main([verb, "I love you.", "", "--model", str(run)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert main([verb, "I love you.", "--model", str(run), "--json", "--show"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["words"] == ["I", "love", "you", "."]
    assert "love" in captured.err
    page = tmp_path / "look.html"
    assert main([verb, "I love you.", "--model", str(run), "--out", str(page)]) == 0
    assert "love" in page.read_text()


def test_what_should_be_known_of_a_line_is_told_by_its_number(run, capsys, tmp_path):
    verb = {"tagging": "tag", "text-classification": "classify"}[kind_of(run)]
    lines = tmp_path / "lines.txt"
    lines.write_text("I love you.\n\n漢字 仮名\n" + "the cat " * 600 + "\n")
    assert main([verb, "--file", str(lines), "--model", str(run)]) == 0
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 4
    said = " ".join(captured.err.split())
    assert "line 3: the model knows none of its words" in said
    assert "line 4: too long, its last 176 tokens were not read" in said
    assert "line 1" not in said and "line 2" not in said


def test_a_model_of_another_task_is_refused_by_a_verb(run, capsys):
    verb = {"tagging": "classify", "text-classification": "tag"}[kind_of(run)]
    assert main([verb, "text", "--model", str(run)]) == 2
    assert "was trained for" in " ".join(capsys.readouterr().err.split())


def test_a_picture_is_no_text(run, tmp_path, capsys):
    verb = {"tagging": "tag", "text-classification": "classify"}[kind_of(run)]
    (tmp_path / "cat.JPG").write_bytes(b"any")
    assert main([verb, str(tmp_path / "cat.JPG"), "--model", str(run)]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "cat.JPG is a picture, and" in said and "reads text: name a model that reads" in said


def test_evaluate_measures_it_beside_another(run, capsys):
    data = str(run.parent / "valid.tsv")
    other = str(read_best(run, lambda place: place))
    assert main(["evaluate", str(run), other, "--data", data, "--json", "--samples", "50"]) == 0
    found = json.loads(capsys.readouterr().out)
    first = found["models"][0]
    assert first["task"] == kind_of(run)
    assert 85 < first["scores"]["accuracy"] <= 100
    low, high = (first["intervals"]["accuracy"][end] for end in ("low", "high"))
    assert low <= first["scores"]["accuracy"] <= high
    assert found["versus"][0]["accuracy"]["difference"] == 0
    assert found["versus"][0]["accuracy"]["p_value"] == 1
    counts = np.array(first["confusion"]["counts"])
    assert counts.sum() == found["test"]["labels"]
    assert 100 * np.trace(counts) / counts.sum() == pytest.approx(first["scores"]["accuracy"])
    assert main(["evaluate", str(run), "--data", data]) == 0
    assert "Accuracy by length" in capsys.readouterr().out


def test_a_label_that_was_not_learned_counts_as_wrong_and_is_told(run, tmp_path, capsys):
    tagging = kind_of(run) == "tagging"
    path = tmp_path / "test.tsv"
    path.write_text("The\tDET\ncat\tWHAT\n" if tagging else "en\tThe cat.\nWHAT\tThe dog.\n")
    assert main(["evaluate", str(run), "--data", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "line " in found["test"]["notes"][0] and "'WHAT'" in found["test"]["notes"][0]
    assert found["scores"]["accuracy"] <= 50


def test_spelled_words_of_a_batch_are_those_of_its_sentences():
    examples = [
        Example("a bb a", ("X", "Y", "X"), ("a", "bb", "a")),
        Example("ccc", ("Y",), ("ccc",)),
    ]
    task = TaggingTask()
    codec = task.vocabulary.model_copy(update={"min_count": 1}).learn(examples, ("X", "Y"))
    corpus = encode(examples, codec, per_word=True)
    batch = corpus.batch(np.array([1, 0]), indices=np.array([1, 0]), num_targets=4)
    assert batch.lengths.tolist() == [1, 3]
    assert batch.targets.tolist() == [[1, -100, -100], [0, 1, 0]]
    spelling = batch.spelling
    assert spelling.lengths.tolist() == [0, 1, 2, 3]
    words = ["", "a", "bb", "ccc"]
    shown = [[words[n] for n in row] for row in spelling.index.tolist()]
    assert shown == [["ccc", "", ""], ["a", "bb", "a"]]
    numbers = [codec.characters.ids(list(word)) for word in words]
    assert [
        row[:n]
        for row, n in zip(spelling.characters.tolist(), spelling.lengths.tolist(), strict=True)
    ] == numbers


def test_a_label_seen_once_and_one_label_alone_are_refused():
    texts = [Example("a", ("x",)), Example("b", ("x",)), Example("c", ("y",))]
    assert labels_of(texts) == ("x", "y")
    with pytest.raises(InputError, match="the label 'y' comes 1 time"):
        labels_of(texts, least=2)
    with pytest.raises(InputError, match="needs two different labels, got"):
        labels_of(texts[:2])


@pytest.mark.parametrize("task", [TaggingTask(), TextClassificationTask()])
def test_without_files_the_grammar_gives_examples(task):
    assert task.data.valid_size == 1000
    few = task.data.model_copy(update={"valid_size": 90, "vocabulary_sentences": 400})
    held_out, codec = few.held_out(), task.model_copy(update={"data": few}).learn()
    assert len(held_out) == 90
    assert {label for one in held_out for label in one.labels} <= set(codec.labels)
    assert len(codec.labels) > 2


def test_hits_are_a_share_with_an_interval_and_their_difference_is_judged():
    one = Hits.of([["a", "b"], ["c"], ["d"]], [["a", "x"], ["c"], ["y"]])
    assert one.counts.tolist() == [[1, 2], [1, 1], [0, 1]]
    assert one.score().value == 50
    resampling = Resampling(samples=200)
    assert one.score(resampling).interval.low < 50 < one.score(resampling).interval.high
    better = Hits.of([["a", "x"], ["c"], ["y"]], [["a", "x"], ["c"], ["y"]])
    assert compare_counts(one, better, resampling).difference == 50
