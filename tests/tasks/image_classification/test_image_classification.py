"""Image classification as a task: learned, resumed, used, drawn, measured, packed."""

import json

import numpy as np
import pytest
import torch
from PIL import Image

import regard
from regard.cli.app import main
from regard.errors import InputError, ShapeError
from regard.storage.run_folder import read_best
from regard.tasks.image_classification import ImageClassificationTask
from regard.tasks.image_classification.recipe import recipe
from regard.training import Budget, launch
from regard.training import log as logs
from regard.training.launch import relaunch
from regard.zoo.packing import pack
from tasks.image_classification.small import MODEL, drawn, folder, settings, task

STEPS = 40
ENCODERS = {
    "cnn-se": MODEL,
    "cnn-cbam": MODEL,
    "vit": {"encoder": {"patch_size": 2, "model_dim": 12, "num_layers": 2, "hidden_dim": 16}},
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    place = tmp_path_factory.mktemp("pictures")
    launch(settings(task(place), STEPS), "cnn-se", place / "run", changes=MODEL)
    return place / "run"


@pytest.fixture(scope="module")
def new(tmp_path_factory):
    return folder(tmp_path_factory.mktemp("new"), 30, seed=9)


def test_it_learns(run):
    last = [line for line in logs.read(run / "log.jsonl") if line.get("kind") == "valid"][-1]
    assert last["accuracy"] > 0.95
    assert last["loss"] < 0.5


def test_a_picture_in_any_form_has_the_same_label(run):
    predictor = regard.load(run)
    (picture, *_), (label, *_) = drawn(3, seed=4)
    image = Image.fromarray(picture)
    tensor = torch.from_numpy(picture).permute(2, 0, 1)
    found = [predictor(one) for one in (image, tensor)]
    assert [one.label for one in found] == [label, label]
    assert found[0].probabilities == found[1].probabilities
    assert sum(found[0].probabilities.values()) == pytest.approx(1, abs=1e-5)
    with pytest.raises(ShapeError, match=r"uint8 \(3, Y, X\)"):
        predictor(torch.zeros(3, 8, 8))
    with pytest.raises(InputError, match=r"none\.png"):
        predictor("none.png")


def test_several_are_a_list_and_each_is_as_alone(run, new):
    predictor = regard.load(run)
    paths = sorted(new.rglob("*.png"))[:5]
    together = predictor(paths)
    assert [one.name for one in together] == list(map(str, paths))
    for one, path in zip(together, paths, strict=True):
        alone = predictor(path)
        assert alone.label == one.label
        assert alone.probability == pytest.approx(one.probability, abs=1e-5)


def test_where_it_looked_is_gates_and_evidence(run, new):
    sample = regard.load(run)(next(new.rglob("*.png")), looks=True)
    titles = [panel.title for panel in sample.panels]
    assert titles == ["evidence", "stage 1, block 1", "stage 2, block 1"]
    assert sample.panels[1].bars.shape == (6,)
    assert sample.panels[0].heat.shape == (2, 2)
    json.dumps(sample.to_json())
    assert "<svg" in sample._repr_html_() or "svg" in sample._repr_html_()


@pytest.mark.parametrize("model", ["cnn-cbam", "cnn-non-local", "cnn-coordinate", "vit", "cct"])
def test_every_model_shows_where_it_looked(model):
    from regard.models import build
    from regard.tasks.image_classification import PictureLabeller
    from regard.tasks.image_classification.codec import PictureCodec

    codec = PictureCodec(("a", "b"), 32, 24, (0.5,) * 3, (0.25,) * 3)
    torch.manual_seed(0)
    labeller = PictureLabeller(build(model, **codec.sizes()).eval(), codec)
    noise = np.random.default_rng(0).integers(0, 256, (50, 70, 3), dtype=np.uint8)
    sample = labeller(Image.fromarray(noise), looks=True)
    titles = [panel.title for panel in sample.panels]
    wanted = {
        "cnn-cbam": ["evidence", "stage 1, block 1, channel", "stage 1, block 1, spatial"],
        "cnn-non-local": ["evidence", "stage 2, block 1"],
        "cnn-coordinate": ["evidence", "stage 1, block 1"],
        "vit": ["rollout", "last layer, class token", "head 0"],
        "cct": ["rollout", "last layer, all patches", "head 0"],
    }[model]
    assert titles[: len(wanted)] == wanted
    if model == "cct":
        assert titles[-1] == "pooling"
    grids = {tuple(p.heat.shape) for p in sample.panels if p.heat is not None}
    for rows, columns in grids:
        assert rows / columns == pytest.approx(32 / 24, rel=0.35)
    assert sample.views()[0].proportions == (70, 50)


def test_rollout_follows_attention_through_the_layers():
    from regard.tasks.image_classification.looking import rollout

    first = torch.tensor([[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]])
    # two layers of (A + I) / 2: itself a quarter, the next a half, the one after it a quarter
    found = rollout([first, first])
    assert torch.equal(found[0], torch.tensor([0.25, 0.5, 0.25]))
    identity = torch.eye(3).unsqueeze(0)
    assert torch.equal(rollout([identity, first]), (first[0] + torch.eye(3)) / 2)


def test_evidence_sums_to_what_the_logit_says():
    from regard.models import build
    from regard.tasks.image_classification.looking import evidence

    torch.manual_seed(0)
    model = build("cnn", labels=4).eval()
    pixels = torch.randint(256, (2, 3, 32, 32), dtype=torch.uint8)
    features = model.encoder(pixels)
    labels = torch.tensor([3, 1])
    found = evidence(model, pixels, labels)
    for row, label in enumerate(labels.tolist()):
        places = torch.einsum("m,myx->yx", model.output.weight[label], features[row])
        logit = places.mean() + model.output.bias[label]
        torch.testing.assert_close(logit, model(pixels)[row, label], atol=1e-5, rtol=1e-4)
        torch.testing.assert_close(found[row], (places - places.mean()).clamp(min=0))


@pytest.mark.parametrize("model", ["cnn-se", "vit"])
def test_a_run_that_is_stopped_goes_on_to_the_same_bits(tmp_path, model):
    changing = {"augmentation": {"flip": True, "shift": 1, "cutout": 2}, "label_smoothing": 0.1}
    chosen = task(tmp_path, **changing)
    method = {"method": "adamw", "rate": 1e-3} if model == "vit" else {"method": "sgd", "rate": 0.1}
    once = settings(chosen, 12, optimisation=method, save_every=5, validate_every=6)
    launch(once, model, tmp_path / "whole", changes=ENCODERS[model])
    parted = once.changed(steps=7)
    launch(parted, model, tmp_path / "parts", changes=ENCODERS[model])
    relaunch(tmp_path / "parts", budget=Budget(steps=12))
    first, second = (last_weights(tmp_path / name) for name in ("whole", "parts"))
    assert first == second


def last_weights(run):
    """The bytes of the last checkpoint's model."""
    return (sorted(run.glob("step-*"))[-1] / "model.safetensors").read_bytes()


@pytest.mark.parametrize(
    ("minutes", "rows", "steps"),
    [(4.0, 128, 400), (3.0, 32, 1200), (0.5, 16, 400), (0.25, 16, 200)],
)
def test_little_time_is_spent_on_small_batches(monkeypatch, minutes, rows, steps):
    pace = "regard.tasks.image_classification.pace.updates_in"
    monkeypatch.setattr(pace, lambda minutes, model, task, rows: round(minutes * 100 * 128 / rows))
    found = recipe("cnn", ImageClassificationTask(), Budget(minutes=minutes)).settings
    assert (found.batch.max_tokens, found.budget.steps) == (rows, steps)
    assert found.optimisation.rate == pytest.approx(0.2 * rows / 128)
    assert recipe("cnn", budget=Budget(steps=7)).settings.batch.max_tokens == 128


def test_packed_it_answers_as_before_in_little_space(run, tmp_path):
    packed = pack(run, tmp_path / "packed", sentences=40)
    assert packed.comparison.changed <= 2
    assert packed.size < 60_000
    card = (tmp_path / "packed" / "CARD.md").read_text()
    assert "left, right" in card
    predictor = regard.load(tmp_path / "packed")
    (picture, *_), (label, *_) = drawn(3, seed=4)
    assert predictor(Image.fromarray(picture)).label == label


def test_classify_reads_pictures_where_the_model_does(run, new, capsys, tmp_path):
    paths = sorted(map(str, new.rglob("*.png")))[:2]
    assert main(["classify", *paths, "--model", str(run)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("\t")[0] for line in lines] == ["left", "left"]
    assert main(["classify", paths[0], "--model", str(run), "--json", "--show"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["panels"][1]["title"] == "stage 1, block 1"
    assert "stage 1, block 1" in told.err
    for end in ("png", "svg", "html"):
        out = tmp_path / f"x.{end}"
        assert main(["classify", paths[0], "--model", str(run), "--out", str(out)]) == 0
        assert out.stat().st_size > 1000
    both = tmp_path / "both.html"
    assert main(["classify", *paths, "--model", str(run), "--out", str(both)]) == 0
    assert both.read_text(encoding="utf-8").count("<section") == 2
    (tmp_path / "list.txt").write_text("\n".join(paths) + "\n")
    assert main(["classify", "--file", str(tmp_path / "list.txt"), "--model", str(run)]) == 0
    capsys.readouterr()


def test_a_file_that_is_no_picture_is_one_line(run, tmp_path, capsys):
    (tmp_path / "x.png").write_text("no picture")
    assert main(["classify", str(tmp_path / "x.png"), "--model", str(run)]) == 2
    assert "needs to be a picture" in capsys.readouterr().err


def test_evaluate_tells_accuracy_confusion_and_significance(run, new, capsys):
    assert main(["evaluate", str(run), f"{run}/", "--data", str(new), "--json"]) in (0, 2)
    capsys.readouterr()
    assert main(["evaluate", str(run), "--data", str(new), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["test"]["pictures"] == 30
    assert told["scores"]["accuracy"] > 95
    assert told["intervals"]["accuracy"]["low"] <= told["scores"]["accuracy"]
    assert told["confusion"]["labels"] == ["left", "right"]
    assert main(["evaluate", str(run), "--data", str(new)]) == 0
    assert "pictures/s" in capsys.readouterr().out


def test_a_mirrored_answer_is_the_mean_of_two(run):
    predictor = regard.load(run)
    mirrored = predictor.in_use({"mirror": True})
    (picture, *_), _ = drawn(3, seed=4)
    image = Image.fromarray(picture)
    turned = Image.fromarray(picture[:, ::-1].copy())
    assert mirrored(image).probabilities == pytest.approx(mirrored(turned).probabilities, abs=1e-5)
    assert predictor(image).label != predictor(turned).label


def test_a_damaged_codec_is_told(run, tmp_path):
    from regard.tasks.image_classification.codec import codec_from

    with pytest.raises(InputError, match=r"pictures\.json: needs to be there"):
        codec_from({}, tmp_path)
    for bad in (b"{", b"[]", b'{"labels": [1]}'):
        with pytest.raises(InputError, match="needs labels, size and colours"):
            codec_from({"pictures.json": bad}, tmp_path)
    stored = read_best(run, lambda place: (place / "codec" / "pictures.json").read_bytes())
    codec = codec_from({"pictures.json": stored}, tmp_path)
    assert codec_from(codec.files(), tmp_path) == codec


def test_the_recipe_is_one_cycle_and_flips_where_left_may_be_right(tmp_path):
    digits = recipe("cnn-se").settings
    assert digits.optimisation.method == "sgd"
    assert not digits.task.augmentation.flip
    assert recipe("cnn-se").changes == {"encoder.strides": (1, 2, 2)}
    assert recipe("vit").changes == {"encoder.patch_size": 2}
    place = folder(tmp_path / "photographs", 20)
    chosen = ImageClassificationTask(data={"train": place})
    made = recipe("vit", chosen, Budget(steps=70)).settings
    assert made.optimisation.method == "adamw"
    assert made.task.augmentation.flip
    assert made.optimisation.schedule.steps == 70
    assert made.task.label_smoothing == 0.1
    said = ImageClassificationTask(data={"train": place}, augmentation={"flip": False})
    assert not recipe("cnn", said, Budget(steps=70)).settings.task.augmentation.flip


def test_minutes_become_as_many_steps_as_fit(tmp_path):
    chosen = ImageClassificationTask(data={"train": folder(tmp_path / "a", 20)}, size=8)
    made = recipe("cnn", chosen, Budget(minutes=0.5)).settings
    assert made.budget.minutes == 0.5
    assert made.budget.steps == made.optimisation.schedule.steps > 10
