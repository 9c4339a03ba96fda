"""Captioning from end to end: trained on scenes and on files, resumed, measured, used, drawn."""

import json
import math
from io import StringIO

import numpy as np
import pytest
import torch
from PIL import Image
from torch.testing import assert_close

from reference import looking as reference
from regard.data.scenes import SceneConfig, Scenes
from regard.errors import InputError
from regard.models import build
from regard.models.vision.looking import Hard
from regard.storage.stored_model import read_model
from regard.tasks.captioning import CaptionFiles, SceneCaptions
from regard.tasks.captioning.evaluation import CaptioningEvaluation
from regard.tasks.captioning.example import boxes_by_noun
from regard.tasks.captioning.objective import doubly_stochastic
from regard.tasks.captioning.task import CaptioningTask, VocabularyConfig
from regard.tasks.captioning.validation import CaptionValidator, scored
from regard.tasks.seeing.reading import PixelReading
from regard.training import Budget, Settings, launch, relaunch
from regard.zoo.load import load

SCENES = SceneCaptions(
    scenes=SceneConfig(size=16, most=2, kinds=("circle", "square"), colours=("red", "blue")),
    valid_size=6,
    vocabulary_scenes=80,
)
GRID = {"size": 16, "channels": [4, 6, 8]}
SMALL = {
    "grid": {"kind": "conv", **GRID},
    "annotation_dim": 8,
    "embedding_dim": 8,
    "hidden_dim": 8,
    "attention": {"kind": "soft", "attention_dim": 6},
    "dropout": 0.1,
}


def task(**changes):
    return CaptioningTask(**{"data": SCENES, "reading": PixelReading(size=16), **changes})


def settings(steps, **changes):
    fields = {"validate_every": 2, "save_every": 2, "average": 0.5}
    batch = {"max_tokens": 120, "max_rows": 5}
    return Settings(task=task(**changes), budget=Budget(steps=steps), batch=batch, **fields)


@pytest.fixture(autouse=True)
def _pools_of_sixteen(monkeypatch):
    monkeypatch.setattr("regard.tasks.captioning.data.POOL", 16)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("captioning") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("regard.tasks.captioning.data.POOL", 16)
        launch(settings(4), "soft-captioner", folder, changes=SMALL, device="cpu")
    return folder


def test_a_run_that_is_resumed_has_the_weights_of_one_that_was_not(run, tmp_path):
    launch(settings(2), "soft-captioner", tmp_path / "run", changes=SMALL, device="cpu")
    relaunch(tmp_path / "run", budget=Budget(steps=4), device="cpu")
    ours, other = (read_model(max(one.glob("step-*"))).weights for one in (run, tmp_path / "run"))
    assert all(torch.equal(ours[name], other[name]) for name in ours)


def test_a_batch_holds_the_pictures_and_the_captions_of_its_rows():
    one = task()
    codec = one.learn()
    pool = one.pools(codec, longest=None).pool(0, 1, None)
    rows = np.array([3, 9])
    batch = pool.corpus.batch(rows, indices=pool.indices[rows], num_targets=7)
    scenes = Scenes(0, config=SCENES.scenes)
    for row, number in enumerate(pool.indices[rows].tolist()):
        assert number == 16 + rows[row]
        assert np.array_equal(batch.pictures[row].numpy(), scenes[number].pixels)
        words = codec.tokens.pieces_of(batch.target_out[row].tolist())
        assert tuple(words) == scenes[number].caption.words
    assert (batch.target_in[:, 0] == codec.tokens.bos).all()


def test_the_doubly_stochastic_term_is_that_of_a_plain_loop():
    weights = torch.rand(3, 5, 7, dtype=torch.float64)
    lengths = [5, 2, 0]
    wanted = torch.arange(5) < torch.tensor(lengths).unsqueeze(1)
    expected = reference.doubly_stochastic(weights.tolist(), lengths, 0.6)
    assert doubly_stochastic(weights, wanted, 0.6).item() == pytest.approx(expected)


def test_the_loss_is_the_likelihood_and_what_attention_owes():
    one = task(loss={"doubly_stochastic": 0.3})
    codec = one.learn()
    torch.manual_seed(1)
    model = build("soft-captioner", vocab=len(codec.tokens), **SMALL).eval()
    pool = one.pools(codec, longest=None).pool(0, 0, None)
    batch = pool.corpus.batch(np.arange(4), indices=np.arange(4), num_targets=9)
    loss = one.objective(model)(batch)
    logits = model(batch.pictures, batch.target_in).log_softmax(dim=-1)
    wanted = batch.target_out != 0
    nll = -logits.gather(2, batch.target_out.unsqueeze(-1)).squeeze(-1)[wanted].sum()
    weights = model.decode_parallel(batch.pictures, batch.target_in, aligned=True).weights
    lengths = wanted.sum(dim=1).tolist()
    owed = reference.doubly_stochastic(weights.tolist(), lengths, 1.0)
    assert_close(loss.parts["nll"], nll)
    assert_close(loss.total, nll + 0.3 * owed)


def test_guided_attention_is_told_by_the_boxes_of_nouns():
    one = task(loss={"doubly_stochastic": 0.0, "guided": 0.7})
    codec = one.learn()
    torch.manual_seed(1)
    model = build("soft-captioner", vocab=len(codec.tokens), **SMALL).eval()
    pool = one.pools(codec, longest=None).pool(0, 0, None)
    batch = pool.corpus.batch(np.arange(6), indices=np.arange(6), num_targets=9)
    loss = one.objective(model)(batch)
    weights = model.decode_parallel(batch.pictures, batch.target_in, aligned=True).weights.detach()
    scenes, owed, nouns = Scenes(0, config=SCENES.scenes), 0.0, 0
    for row in range(6):
        scene = scenes[row]
        for place, things in scene.caption.nouns.items():
            cells = set()
            for left, top, right, bottom in (scene.boxes[n] for n in things):
                cells |= {
                    (y, x)
                    for y in range(4)
                    for x in range(4)
                    if (left <= 4 * x + 2 <= right or x == int((left + right) / 8))
                    and (top <= 4 * y + 2 <= bottom or y == int((top + bottom) / 8))
                }
            assert cells
            nouns += 1
            owed -= math.log(sum(float(weights[row, place, 4 * y + x]) for y, x in cells))
    assert nouns >= 6
    assert loss.parts["guided"].item() == pytest.approx(owed, rel=1e-4)
    assert loss.total.item() == pytest.approx(loss.parts["nll"].item() + 0.7 * owed, rel=1e-4)


def test_an_empty_batch_has_zero_gradients():
    one = task()
    model = build("soft-captioner", vocab=9, **SMALL)
    objective = one.objective(model)
    objective(objective.empty_batch()).total.backward()
    assert all(p.grad is None or not p.grad.any() for p in model.parameters())


@pytest.mark.parametrize("estimator", ["reinforce", "straight_through", "gumbel"])
def test_hard_attention_learns_by_every_estimator(estimator, tmp_path):
    hard = {**SMALL, "attention": Hard(attention_dim=6, estimator=estimator).model_dump()}
    folder = tmp_path / "run"
    launch(settings(2), "hard-captioner", folder, changes=hard, device="cpu")
    captioner = load(folder)
    sample = captioner(Scenes(0, config=SCENES.scenes)[0], looks=True)
    assert sample.weights.shape[1:] == (4, 4)


def test_captions_come_in_order_with_a_map_for_each_word(run):
    captioner = load(run)
    scenes = [Scenes(1, config=SCENES.scenes)[n] for n in range(3)]
    found = captioner(scenes, looks=True)
    assert [one.text for one in found] == [captioner(scene).text for scene in scenes]
    first = found[0]
    assert first.weights.shape == (len(first.words), 4, 4)
    assert_close(first.weights.sum(dim=(1, 2)), torch.ones(len(first.words)))
    assert first.to_json()["caption"] == str(first) == first.text
    (view,) = first.views()
    assert len(view.panels) == len(first.words) + 1
    assert [panel.title for panel in view.panels[1:]] == list(first.words)
    assert captioner(scenes[0]).views() == ()


def test_a_picture_may_be_a_file_bytes_or_pixels(run, tmp_path):
    captioner, scene = load(run), Scenes(2, config=SCENES.scenes)[0]
    path = tmp_path / "a.png"
    scene.picture.save(path)
    sources = [scene, path, str(path), path.read_bytes(), scene.picture]
    sources.append(torch.from_numpy(scene.pixels))
    assert len({one.text for one in captioner(sources)}) == 1
    assert captioner(path).name == str(path)
    with pytest.raises(InputError, match="uint8"):
        captioner(torch.zeros(3, 4, 4))


def test_nouns_stand_for_the_boxes_of_their_colour():
    config = SceneConfig(kinds=("circle", "star"), colours=("red", "blue"), fewest=2, most=2)
    scene = next(
        one for one in Scenes(0, config=config) if len({o.colour for o in one.objects}) == 2
    )
    one, other = scene.objects
    words = ("a", one.colour, one.kind, "and", "a", other.colour, other.kind)
    found = boxes_by_noun(scene, words)
    assert set(found) == {2, 6}
    assert found[2] == (tuple(edge / 64 for edge in scene.boxes[0]),)
    wrong = boxes_by_noun(scene, ("a", "green", "circle"))
    assert wrong == {2: ()}


def test_a_caption_is_right_whatever_its_marks_and_pointing_is_counted(run):
    from regard.decoding import Hypothesis
    from regard.tasks.captioning.data import captioned
    from regard.tasks.captioning.predictor import Told

    scene = next(one for one in Scenes(0) if len(one.objects) == 3 and len(one.captions) == 6)
    caption = scene.captions[4]
    heat = torch.zeros(len(caption.words), 8, 8)
    for place, things in caption.nouns.items():
        left, top, right, bottom = scene.boxes[things[0]]
        heat[place, int((top + bottom) / 16), int((left + right) / 16)] = 1
    hypothesis = Hypothesis((), 0.0, 0.0, True)
    told = Told(caption.text.upper(), caption.words, hypothesis, heat)
    assert scored(captioned(scene), told) == (True, 3, 3)
    away = heat.roll(4, dims=1).roll(4, dims=2)
    other = told._replace(text=caption.text + " too", weights=away)
    assert scored(captioned(scene), other) == (False, 0, 3)


def test_validation_scores_what_it_says(run):
    captioner = load(run)
    held_out = SCENES.held_out()
    validator = CaptionValidator(held_out, captioner.codec, PixelReading(size=16), max_tokens=200)
    found = validator.validate(captioner.model)
    assert set(found.scores) == {"bleu4", "exact", "pointing", "loss"}
    assert validator.size == 6
    assert len(found.samples) == 2
    told = validator.told(captioner.model)
    right = [one.text in held.captions for one, held in zip(told, held_out, strict=True)]
    assert found.scores["exact"] == pytest.approx(sum(right) / 6)


def test_captioners_are_measured_beside_each_other(run, tmp_path):
    hard = {**SMALL, "attention": Hard(attention_dim=6).model_dump()}
    launch(settings(2), "hard-captioner", tmp_path / "run", changes=hard, device="cpu")

    both = {"soft": load(run), "hard": load(tmp_path / "run")}
    report = CaptioningEvaluation(sentences=5, samples=20).measured(both)
    record = report.to_json()
    soft, other = record["models"]
    assert {"BLEU-4", "BLEU-1", "exact"} <= set(soft["scores"])
    assert soft["intervals"]["BLEU-1"]["low"] <= soft["scores"]["BLEU-1"]
    assert "estimators" not in soft
    names = [row["estimator"] for row in other["estimators"]]
    assert names == ["reinforce", "straight_through", "gumbel", "reinforce, baseline"]
    assert {one["measure"] for one in record["versus"]} >= {"BLEU-4", "exact"}
    assert json.dumps(record)
    from rich.console import Console

    console = Console(width=120, record=True, file=StringIO())
    console.print(report)
    assert "Compared with soft" in console.export_text()


@pytest.fixture
def files(tmp_path):
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    rows = []
    for number in range(8):
        colour = (200, 30, 30) if number % 2 else (20, 40, 220)
        Image.new("RGB", (20, 10), colour).save(pictures / f"p{number}.png")
        name = "red" if number % 2 else "blue"
        rows.append(f"p{number}\t40\t20\tA {name} wall.\tA wall, all {name}")
    table = tmp_path / "captions.tsv"
    table.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return table, pictures


def test_files_are_learned_from_and_pictures_kept_back(files, tmp_path):
    table, pictures = files
    data = CaptionFiles(train=table, pictures=str(pictures), kept_back=0.3)
    one = task(data=data, vocabulary=VocabularyConfig(marks="left out"))
    codec = one.learn()
    assert "." not in codec.tokens.table.entries
    held_out = data.held_out()
    assert {name.name for name in held_out}.isdisjoint({n.name for n in data._training})
    assert len(held_out) + len(data._training) == 8
    assert held_out[0].size == (40, 20)
    pools = one.pools(codec, longest=None)
    assert len(pools.corpus) == 2 * len(data._training)
    settings_ = Settings(task=one, budget=Budget(steps=2), validate_every=2, save_every=2)
    launch(settings_, "soft-captioner", tmp_path / "run", changes=SMALL, device="cpu")
    assert load(tmp_path / "run")(pictures / "p1.png").size == (20, 10)


def test_a_picture_that_is_not_there_is_named(files):
    table, pictures = files
    table.write_text("p9\ta wall\n", encoding="utf-8")
    with pytest.raises(InputError, match="needs a picture of the name 'p9'"):
        CaptionFiles(train=table, pictures=str(pictures)).held_out()


def test_what_is_published_names_no_folder(files):
    table, pictures = files
    one = task(data=CaptionFiles(train=table, pictures=str(pictures)))
    assert "/" not in one.published().model_dump_json()
    assert one.flags() == ["--data", str(table), "--pictures", str(pictures)]
