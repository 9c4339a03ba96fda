"""Answering questions about pictures from end to end: trained, resumed, measured, used, drawn."""

import json

import numpy as np
import pytest
import torch
from PIL import Image
from torch.testing import assert_close

from regard.cli.app import main
from regard.data.scenes import SceneConfig, Scenes
from regard.errors import ChoiceError, InputError
from regard.models import build
from regard.storage.stored_model import read_model
from regard.tasks.object_detection.sample import DetectedObject, DetectedObjects
from regard.tasks.seeing.reading import PixelReading
from regard.tasks.visual_question_answering import Question, QuestionFiles, SceneQuestions
from regard.tasks.visual_question_answering.corpus import boxed, encode
from regard.tasks.visual_question_answering.data import pictured
from regard.tasks.visual_question_answering.evaluation import PictureAnsweringEvaluation
from regard.tasks.visual_question_answering.task import VisualQuestionAnsweringTask
from regard.tasks.visual_question_answering.validation import AnswerValidator
from regard.training import Budget, Settings, launch, relaunch
from regard.zoo.load import load

SCENES = SceneQuestions(
    scenes=SceneConfig(size=16, most=2, kinds=("circle", "square"), colours=("red", "blue")),
    valid_size=5,
    vocabulary_scenes=60,
)
GRID = {"kind": "conv", "size": 16, "channels": [4, 6, 8]}
SMALL = {
    "bottom-up-top-down": {"region_dim": 8, "question_dim": 6, "hidden_dim": 7},
    "stacked-attention": {"model_dim": 8, "attention_dim": 6},
    "vqa-transformer": {"model_dim": 8, "num_heads": 2, "layers": 1, "hidden_dim": 12},
}


def changes(name, **more):
    return {**SMALL[name], "grid": GRID, "embedding_dim": 5, **more}


def task(**fields):
    chosen = {"data": SCENES, "reading": PixelReading(size=16), **fields}
    return VisualQuestionAnsweringTask(**chosen)


def settings(steps, **fields):
    often = {"validate_every": 2, "save_every": 2, "average": 0.5}
    batch = {"max_tokens": 90, "max_rows": 5}
    return Settings(task=task(**fields), budget=Budget(steps=steps), batch=batch, **often)


@pytest.fixture(autouse=True)
def _pools_of_sixteen(monkeypatch):
    monkeypatch.setattr("regard.tasks.visual_question_answering.data.POOL", 16)


@pytest.fixture(scope="module", params=SMALL)
def run(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("answering") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("regard.tasks.visual_question_answering.data.POOL", 16)
        own = changes(request.param)
        launch(settings(4), request.param, folder, changes=own, device="cpu")
    return folder


def test_a_run_that_is_resumed_has_the_weights_of_one_that_was_not(run, tmp_path):
    config = read_model(max(run.glob("step-*"))).config
    launch(settings(2), config.kind, tmp_path / "run", changes=changes(config.kind), device="cpu")
    relaunch(tmp_path / "run", budget=Budget(steps=4), device="cpu")
    ours, other = (read_model(max(one.glob("step-*"))).weights for one in (run, tmp_path / "run"))
    assert all(torch.equal(ours[name], other[name]) for name in ours)


def test_a_batch_holds_pictures_once_and_all_their_questions():
    one = task()
    codec = one.learn()
    corpus = one.pools(codec, longest=None).pool(0, 0, None).corpus
    rows = np.array([5, 2])
    batch = corpus.batch(rows, indices=rows, num_targets=1)
    scenes = Scenes(0, config=SCENES.scenes)
    asked = [(place, q) for place, row in enumerate(rows) for q in scenes[int(row)].questions]
    assert len(batch.pictures) == 2
    assert len(batch.questions) == len(asked)
    for row, (place, question) in enumerate(asked):
        assert batch.owners[row] == place
        assert codec.answers[batch.answers[row]] == question.answer
        tokens = batch.questions[row, : batch.lengths[row]].tolist()
        assert codec.tokens.text(codec.tokens.pieces_of(tokens)).replace(" ?", "?") == question.text
    first = scenes[5]
    found = batch.boxes.corners[0, : len(first.boxes)].tolist()
    assert found == [pytest.approx([edge / 16 for edge in box]) for box in first.boxes]


@pytest.mark.parametrize("scoring", ["softmax", "sigmoid"])
@torch.no_grad()
def test_the_loss_is_that_of_the_definition(scoring):
    one = task(loss={"scoring": scoring})
    codec = one.learn()
    torch.manual_seed(0)
    name = "bottom-up-top-down"
    model = build(name, **codec.sizes(), **changes(name)).eval()
    corpus = one.pools(codec, longest=None).pool(0, 0, None).corpus
    batch = corpus.batch(np.arange(3), indices=np.arange(3), num_targets=1)
    loss = one.objective(model)(batch)
    logits = model(batch.pictures, batch.questions, batch.lengths, None, batch.owners)
    total = 0.0
    for row, answer in enumerate(batch.answers.tolist()):
        if scoring == "softmax":
            total -= float(logits[row].log_softmax(-1)[answer])
            continue
        for number, logit in enumerate(logits[row]):
            share = torch.sigmoid(logit if number == answer else -logit)
            total -= float(share.log())
    assert loss.total.item() == pytest.approx(total, rel=1e-4)


def test_an_answer_that_was_not_learned_counts_as_wrong_and_teaches_nothing():
    codec = task().learn()
    one = pictured(Scenes(0, config=SCENES.scenes)[0])
    strange = one._replace(questions=(one.questions[0]._replace(answer="mauve"), one.questions[1]))
    reading = PixelReading(size=16)
    learned = encode([strange], codec=codec, reading=reading)
    assert len(learned.answers) == 1 and learned.left_out == 1
    kept = encode([strange], codec=codec, reading=reading, all_kept=True)
    assert kept.answers.tolist()[0] == -1


def test_a_picture_without_boxes_has_the_whole_of_itself():
    found = boxed([((0.1, 0.2, 0.3, 0.4), (0.5, 0.5, 0.6, 0.6)), ()])
    assert found.corners[1, 0].tolist() == [0, 0, 1, 1]
    assert found.allowed.tolist() == [[True, True], [True, False]]


def test_an_empty_batch_has_zero_gradients():
    name = "stacked-attention"
    model = build(name, vocab=9, answers=3, **changes(name))
    objective = task().objective(model)
    objective(objective.empty_batch()).total.backward()
    assert all(p.grad is None or not p.grad.any() for p in model.parameters())


def test_questions_are_answered_with_where_the_model_looked(run, tmp_path):
    answerer = load(run)
    scene = Scenes(3, config=SCENES.scenes)[0]
    sample = answerer("what color is the circle?", scene, looks=True)
    assert sample.answer == str(sample) == next(iter(sample.probabilities))
    assert sample.hops.shape[1] == 16
    assert_close(sample.hops.sum(dim=-1), torch.ones(len(sample.hops)))
    (view,) = sample.views()
    assert view.title.endswith(sample.answer)
    words = 0 if sample.by_word is None else len(sample.words)
    assert len(view.panels) == 1 + words + len(sample.hops)
    assert json.dumps(sample.to_json())
    path = tmp_path / "a.png"
    scene.picture.save(path)
    pairs = [("what color is the circle?", path), Question("how many things are there?", scene)]
    pairs.append({"question": "what color is the circle?", "picture": str(path)})
    first, second, third = answerer.predict(pairs)
    assert first.answer == third.answer == sample.answer
    assert first.name == str(path)
    assert second.views() == ()


def test_a_blank_question_and_unknown_words(run):
    answerer, scene = load(run), Scenes(0, config=SCENES.scenes)[0]
    with pytest.raises(InputError, match="a question needs a word"):
        answerer("  ", scene)
    assert answerer("wherefore art thou?", scene).unknown == 3


def test_a_model_of_boxes_learns_and_answers(tmp_path):
    name = "bottom-up-top-down"
    own = changes(name, regions="boxes")
    launch(settings(2), name, tmp_path / "run", changes=own, device="cpu")
    answerer = load(tmp_path / "run")
    boxes = [(0.0, 0.0, 0.5, 0.5), (0.5, 0.5, 1.0, 1.0)]
    sample = answerer("what color is the circle?", Scenes(0)[0], boxes=boxes, looks=True)
    assert sample.hops.shape == (1, 2)
    (view,) = sample.views()
    assert [tuple(box[:4]) for box in view.panels[1].boxes] == boxes
    assert answerer("what color is the circle?", Scenes(0)[0]).boxes == ((0.0, 0.0, 1.0, 1.0),)


def test_validation_and_evaluation_count_the_same(run):
    answerer = load(run)
    validator = AnswerValidator(SCENES.held_out(), answerer.codec, PixelReading(size=16))
    found = validator.validate(answerer.model)
    assert set(found.scores) == {"accuracy", "pointing", "loss"}
    right = [
        answerer(asked.question, one.image()).answer == asked.answer
        for one in SCENES.held_out()
        for asked in one.questions
    ]
    assert found.scores["accuracy"] == pytest.approx(sum(right) / len(right))
    assert validator.size == len(right)


def test_answerers_are_measured_beside_each_other(run):

    both = {"one": load(run), "other": load(run)}
    record = PictureAnsweringEvaluation(sentences=4, samples=20).measured(both).to_json()
    one, other = record["models"]
    assert one["scores"] == other["scores"]
    assert {row["kind"] for row in one["by_kind"]} >= {"colour", "count", "presence"}
    accuracy = [versus for versus in record["versus"] if versus["measure"] == "accuracy"]
    assert accuracy[0]["difference"] == 0
    assert record["test"]["questions"] > record["test"]["pictures"]


@pytest.fixture
def files(tmp_path):
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    rows = []
    for number in range(6):
        colour = (200, 30, 30) if number % 2 else (20, 40, 220)
        Image.new("RGB", (10, 10), colour).save(pictures / f"{number}.png")
        name = "red" if number % 2 else "blue"
        rows.append([f"What color is wall {number % 3}?", name, number])
        rows.append(["Is it red?", "yes" if number % 2 else "no", number])
    table = tmp_path / "questions.json"
    table.write_text(json.dumps(rows), encoding="utf-8")
    return table, pictures


def test_files_are_learned_from_with_scenes_between_them(files, tmp_path):
    table, pictures = files
    data = QuestionFiles(train=table, pictures=str(pictures), kept_back=0.3, scenes=0.5)
    held_out = data.held_out()
    own = [one for one in held_out if one.name.endswith(".png")]
    assert 0 < len(own) < 6 and len(held_out) == len(own) + 300
    kinds = {data._example(number).name.startswith("scene") for number in range(20)}
    assert kinds == {True, False}
    assert data._example(7).name == data._example(7).name
    alone = QuestionFiles(train=table, pictures=str(pictures), kept_back=0.3)
    one = task(data=alone)
    assert set(one.learn().answers) == {"red", "blue", "yes", "no"}
    name = "bottom-up-top-down"
    chosen = Settings(task=one, budget=Budget(steps=2), validate_every=2, save_every=2)
    launch(chosen, name, tmp_path / "run", changes=changes(name), device="cpu")
    assert load(tmp_path / "run")("Is it red?", pictures / "1.png").answer


class Detector:
    """Finds the left half of every picture, and much else that is less sure."""

    kind = "object-detection"
    calls = 0

    @property
    def task(self):
        return {"kind": self.kind}

    def predictor(self, device):
        return self

    def surer_than(self, confidence):
        assert confidence == 0.2
        return self

    def predict(self, pictures):
        for picture in pictures:
            Detector.calls += 1
            width, height = (10, 10) if isinstance(picture, Image.Image) else (16, 16)
            half = DetectedObject("half", 0.9, (0.0, 0.0, width / 2, float(height)))
            small = DetectedObject("bit", 0.3, (1.0, 2.0, 3.0, 4.0))
            yield DetectedObjects("", Image.new("RGB", (width, height)), (half, *[small] * 50))


@pytest.fixture
def detector(monkeypatch):
    place = "regard.tasks.visual_question_answering.proposals.read_best"
    found = Detector()
    monkeypatch.setattr(place, lambda folder, read: found)
    return found


def test_boxes_are_those_that_a_detector_finds(files, detector, tmp_path, capsys, monkeypatch):
    table, pictures = files
    data = QuestionFiles(train=table, valid=table, pictures=str(pictures), detector="cells")
    monkeypatch.setattr(Detector, "calls", 0)
    one = data.held_out()[0]
    assert one.boxes[:2] == ((0.0, 0.0, 0.5, 1.0), (0.1, 0.2, 0.3, 0.4))
    assert len(one.boxes) == 36
    assert list(data.questions()) and Detector.calls == 6
    chosen = Settings(task=task(data=data), budget=Budget(steps=1))
    name = "bottom-up-top-down"
    own = changes(name, regions="boxes")
    launch(chosen, name, tmp_path / "run", changes=own, device="cpu")
    words = ["answer", "Is it red?", "--picture", str(pictures / "1.png")]
    words += ["--model", str(tmp_path / "run")]
    assert main([*words, "--json", "--detector", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)["boxes"][0] == [0.0, 0.0, 0.5, 1.0]
    assert main(words) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "looks at boxes: it needs --detector, which finds them" in said


def test_a_model_of_boxes_is_not_trained_on_none(files, detector, tmp_path, capsys, run):
    table, pictures = files
    data = QuestionFiles(train=table, valid=table, pictures=str(pictures))
    model = build("stacked-attention", vocab=9, answers=3, **changes("stacked-attention"))
    task(data=data).objective(model)
    boxed_model = build(
        "stacked-attention", vocab=9, answers=3, **changes("stacked-attention", regions="boxes")
    )
    with pytest.raises(ChoiceError, match="--detector names the folder"):
        task(data=data).objective(boxed_model)
    detector.kind = "captioning"
    with pytest.raises(ChoiceError, match="and cells was trained for captioning"):
        data.model_copy(update={"detector": "cells"}).held_out()
    words = ["answer", "Is it red?", "--picture", str(pictures / "1.png"), "--model", str(run)]
    assert main([*words, "--detector", str(tmp_path)]) == 2
    assert "takes no --detector" in " ".join(capsys.readouterr().err.split())


def test_what_is_published_names_no_folder(files):
    table, pictures = files
    one = task(data=QuestionFiles(train=table, pictures=str(pictures), valid=table))
    assert "/" not in one.published().model_dump_json()
