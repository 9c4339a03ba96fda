"""Detection and segmentation as tasks: files, scenes, training, using, measuring."""

import json
from io import BytesIO, StringIO

import numpy as np
import pytest
import torch
from PIL import Image
from torch.testing import assert_close

import regard
from regard.data.regions import RegionCodec
from regard.errors import InputError
from regard.lens import capture
from regard.models.vision import DetectorConfig, PyramidConfig, SetPredictionConfig, UNetConfig
from regard.models.vision.set_prediction import SetPrediction
from regard.task_registry import evaluation_class
from regard.tasks.object_detection import ObjectDetectionTask
from regard.tasks.object_detection.predictor import ObjectDetector
from regard.tasks.regions.files import FileRegions
from regard.tasks.regions.scenes import SceneRegions
from regard.tasks.segmentation import SegmentationTask
from regard.training import Budget, Settings, launch
from tasks.regions.blobs import COUNT, HEIGHT, WIDTH, blobs, written

TINY = PyramidConfig(stem=8, channels=(12, 16), blocks=(1, 1))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return written(tmp_path_factory.mktemp("blobs"))


def files(folder, name="boxes.tsv", **more):
    return FileRegions(train=(str(folder / name),), kept_back=0.3, **more)


@pytest.mark.parametrize("name", ["boxes.tsv", "coco.json"])
def test_tables_and_coco_hold_the_same_objects(folder, name):
    data = files(folder, name)
    codec = data.codec(None, masked=False)
    assert codec.labels == ("blue", "red")
    assert (codec.height, codec.width) == (HEIGHT, WIDTH)
    pool = data.pools(codec, masked=False).pool(0, 0, None)
    held = data.held_out(codec, masked=False)
    assert len(pool.corpus) + len(held.names) == COUNT
    assert 0 < len(held.names) < COUNT
    number = int(held.names[0].removeprefix("blob").removesuffix(".png"))
    loaded = held.loaded[0]
    expected = [list(map(float, edges)) for _, edges in blobs(number)]
    torch.testing.assert_close(loaded.boxes, torch.tensor(expected), atol=1e-3, rtol=0)
    assert [codec.labels[label] for label in loaded.labels] == [one for one, _ in blobs(number)]


def test_a_frame_of_other_proportions_has_bars_and_boxes_inside_them(folder):
    data = files(folder)
    codec = data.codec((64, 64), masked=False)
    loaded = data.held_out(codec, masked=False).loaded[0]
    assert loaded.pixels.shape == (3, 64, 64)
    assert loaded.pixels[:, :10].unique().tolist() == [114]
    assert float(loaded.boxes[:, 1].min()) >= 10


def test_masks_lie_beside_a_table_or_in_outlines(folder):
    found = files(folder, valid=(str(folder / "boxes.tsv"),)).placed(masked=True)
    codec = found.codec(None, masked=True)
    assert (codec.values, codec.labels) == ((5, 9), ("5", "9"))
    mask = found.held_out(codec, masked=True).loaded[0].mask
    outlined = files(folder, "coco.json", valid=(str(folder / "coco.json"),))
    classes = outlined.codec(None, masked=True)
    assert classes.labels == ("background", "blue", "red")
    other = outlined.held_out(classes, masked=True).loaded[0].mask
    assert torch.equal(mask == 1, other > 0)


def test_names_and_ignored_numbers_of_masks(folder):
    named = files(folder, masks=str(folder / "masks.zip"), names=("ground", "blob"))
    assert named.codec(None, masked=True).labels == ("ground", "blob")
    with pytest.raises(InputError, match="has the numbers 5, 9, which need 2 names, got 1"):
        files(folder, masks=str(folder / "masks.zip"), names=("x",)).codec(None, masked=True)
    with pytest.raises(InputError, match="needs masks of two classes"):
        files(folder, masks=str(folder / "masks.zip"), ignored=(5,)).codec(None, masked=True)


def test_pictures_that_are_not_there_are_answered_in_a_sentence(tmp_path, folder):
    (tmp_path / "t.tsv").write_text("a\tx 0 0 1 1\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"needs its pictures, images.zip or images beside it"):
        files(tmp_path, "t.tsv").codec(None, masked=False)
    missing = files(tmp_path, "t.tsv", pictures=str(folder / "images.zip"), valid=("x",))
    with pytest.raises(InputError, match="needs a picture of the name 'a'"):
        missing.codec(None, masked=False)


def test_scenes_know_boxes_and_pixels_to_the_last():
    data = SceneRegions(valid_size=3)
    codec = data.codec(None, masked=True)
    held = data.held_out(codec, masked=True)
    for row in range(3):
        one = held.loaded[row]
        for box, label in zip(one.boxes, one.labels, strict=True):
            left, top, right, bottom = box.int().tolist()
            inside = one.mask[top:bottom, left:right]
            assert bool((inside == label).any(dim=0).all() and (inside == label).any(dim=1).all())
    batch = next(iter(held.batches(2)))
    assert batch.pixels.shape == (2, 3, 64, 64)


def trained(task, model, folder, **settings):
    usual = {
        "batch": {"max_tokens": 5},
        "optimisation": {"rate": 3e-3},
        "validate_every": 40,
        "save_every": 40,
    }
    chosen = Settings(task=task, **usual | settings)
    launch(chosen, model, folder)
    return regard.load(folder)


def detector(**changes):
    sizes = {"classes": 2, "height": HEIGHT, "width": WIDTH, "pyramid": TINY}
    return DetectorConfig(**sizes, dim=16, first=0, **changes)


@pytest.fixture(scope="module")
def found(folder, tmp_path_factory):
    """A detector that has learned a little, where it lies, and a picture."""
    run = tmp_path_factory.mktemp("runs") / "run"
    task = ObjectDetectionTask(data=files(folder), augmentation=None)
    predictor = trained(task, detector(), run, budget=Budget(steps=40))
    picture = run.parent / "one.png"
    predictor_picture = files(folder)._store["blob0"]
    predictor_picture.resize((2 * WIDTH, 2 * HEIGHT), Image.Resampling.NEAREST).save(picture)
    return predictor, run, picture


def test_a_detector_learns_and_tells_boxes_in_pixels_of_the_picture(found):
    predictor, _, picture = found
    sample = predictor.surer_than(0.2)(picture, looks=True)
    assert sample.objects
    best = sample.objects[0]
    label, edges = next(one for one in blobs(0) if one[0] == best.label)
    assert label == best.label
    twice = np.array(edges) * 2
    assert np.abs(np.array(best.box) - twice).max() < 24
    told = json.loads(json.dumps(sample.to_json()))
    assert (told["width"], told["height"]) == (2 * WIDTH, 2 * HEIGHT)
    assert told["objects"][0]["label"] == best.label
    heat = sample.looks["merge.attention"]
    assert heat.shape == (2 * HEIGHT, 2 * WIDTH)
    (view,) = sample.views()
    assert len(view.panels[0].boxes) == len(sample.objects)
    assert view.panels[0].title.startswith(f"{len(sample.objects)} object")
    assert view.panels[-1].title == "all stages"


def test_a_detector_gives_the_same_alone_and_among_others(found):
    predictor, _, picture = found
    alone = predictor(picture)
    first, second = predictor([picture, picture])
    assert [one.label for one in alone.objects] == [one.label for one in second.objects]
    for one, other in zip(alone.objects, first.objects, strict=True):
        np.testing.assert_allclose(one.box, other.box, atol=1e-3)


def test_detectors_are_measured_beside_each_other(found, folder):
    predictor, _, _ = found
    test = evaluation_class("object-detection")(data=(str(folder / "boxes.tsv"),), samples=20)
    report = test.measured({"one": predictor, "other": predictor})
    told = json.loads(json.dumps(report.to_json()))
    one, other = told["models"]
    assert one["scores"] == other["scores"]
    assert 0 <= one["scores"]["mAP"] <= one["scores"]["mAP at 0.5"] <= 100
    assert one["pictures"] == COUNT
    assert set(one["classes"]) == {"blue", "red"}
    assert {gate["module"] for gate in one["attention"]} >= {"merge.attention"}
    assert told["versus"][0]["difference"] == 0
    from rich.console import Console

    console = Console(width=160, record=True, file=StringIO())
    console.print(report)
    assert "pointing game" in console.export_text()


def test_set_prediction_is_trained_by_the_same_task(folder, tmp_path):
    task = ObjectDetectionTask(data=files(folder))
    config = SetPredictionConfig(
        classes=2,
        height=HEIGHT,
        width=WIDTH,
        pyramid=TINY,
        model_dim=16,
        num_heads=2,
        hidden_dim=16,
        num_encoder_layers=1,
        num_decoder_layers=1,
        num_queries=4,
    )
    predictor = trained(task, config, tmp_path / "run", budget=Budget(steps=2))
    sample = predictor.surer_than(0.0)(files(folder)._store["blob1"])
    assert 0 < len(sample.objects) <= 4
    assert sample.looks == {}
    looked = predictor.surer_than(0.0)(files(folder)._store["blob1"], looks=True)
    assert list(looked.looks) == [f"object {n + 1}" for n in range(len(looked.objects))]
    titles = [panel.title for panel in looked.views()[0].panels[1:]]
    assert titles == [f"{n}: {one.label}" for n, one in enumerate(looked.objects, start=1)]


@torch.inference_mode()
def test_each_object_has_the_look_of_its_own_query():
    torch.manual_seed(0)
    config = SetPredictionConfig(
        classes=2, height=24, width=40, pyramid=TINY, num_queries=5, model_dim=16, num_heads=2
    )
    model = SetPrediction(config).eval()
    pixels = torch.randint(256, (3, 3, 24, 40), dtype=torch.uint8)
    detector = ObjectDetector(model, RegionCodec(("a", "b"), 24, 40), overlap=1.0)
    told = detector.detect(pixels, confidence=0.0, looks=True)
    with capture(model) as record:
        found = model(pixels).last
    weights = record[model.look].looks[0].weigh().mean(dim=1)  # (B, Q, K)
    size = torch.tensor([40, 24, 40, 24])
    for row, (objects, maps) in enumerate(zip(told.found, told.by_object, strict=True)):
        assert maps.shape[1:] == model.grid(24, 40)
        for box, look in zip(objects.boxes, maps, strict=True):
            query = (found.boxes[row] * size - box).abs().sum(dim=1).argmin()
            assert_close(look.flatten(), weights[row, query])


def test_segmentation_learns_from_masks_and_writes_masks_like_them(folder, tmp_path):
    task = SegmentationTask(data=files(folder), augmentation=None)
    config = UNetConfig(classes=2, height=HEIGHT, width=WIDTH, channels=(8, 12))
    predictor = trained(task, config, tmp_path / "run", budget=Budget(steps=40))
    picture = files(folder)._store["blob2"]
    sample = predictor(picture, looks=True)
    numbers = np.asarray(Image.open(BytesIO(sample.png())))
    assert numbers.shape == (HEIGHT, WIDTH)
    assert set(np.unique(numbers)) <= {5, 9}
    truth = np.full((HEIGHT, WIDTH), 5)
    for _, (left, top, right, bottom) in blobs(2):
        truth[top:bottom, left:right] = 9
    assert (numbers == truth).mean() > 0.9
    assert set(sample.looks) == {"gates.0"}
    assert sample.views()[0].panels[-1].title == "skip 1"
    assert sum(sample.shares.values()) == pytest.approx(1)
    test = evaluation_class("segmentation")(data=(str(folder / "boxes.tsv"),), samples=20)
    report = test.measured({"one": predictor, "other": predictor})
    told = json.loads(json.dumps(report.to_json()))["models"][0]
    assert told["scores"]["mean IoU"] > 50
    low, high = (told["intervals"]["mean IoU"][side] for side in ("low", "high"))
    assert low <= told["scores"]["mean IoU"] <= high


def test_the_same_command_goes_on_to_the_same_bits(folder, tmp_path):
    from regard.training import relaunch

    task = ObjectDetectionTask(data=files(folder))
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    trained(task, detector(), whole, budget=Budget(steps=4))
    trained(task, detector(), parts, budget=Budget(steps=2))
    relaunch(parts, budget=Budget(steps=4))
    one, other = regard.load(whole).model, regard.load(parts).model
    for name, value in one.state_dict().items():
        assert torch.equal(value, other.state_dict()[name]), name
