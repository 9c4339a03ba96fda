"""``regard detect`` and ``regard segment`` from the shell."""

import json

import pytest
from PIL import Image

from regard.cli.app import main
from regard.models.vision import DetectorConfig, PyramidConfig, UNetConfig
from regard.tasks.object_detection import ObjectDetectionTask
from regard.tasks.regions.files import FileRegions
from regard.tasks.segmentation import SegmentationTask
from regard.training import Budget, Settings, launch
from tasks.regions.blobs import HEIGHT, WIDTH, written


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Runs of one step, and a picture."""
    folder = written(tmp_path_factory.mktemp("blobs"))
    data = FileRegions(train=(str(folder / "boxes.tsv"),), kept_back=0.3)
    tiny = {"classes": 2, "height": HEIGHT, "width": WIDTH}
    pyramid = PyramidConfig(stem=8, channels=(16,), blocks=(1,))
    settings = {"batch": {"max_tokens": 4}, "budget": Budget(steps=1)}
    launch(
        Settings(task=ObjectDetectionTask(data=data), **settings),
        DetectorConfig(**tiny, pyramid=pyramid, dim=16, first=0),
        folder / "detector",
    )
    launch(
        Settings(task=SegmentationTask(data=data), **settings),
        UNetConfig(**tiny, channels=(8, 8)),
        folder / "segmenter",
    )
    Image.new("RGB", (40, 30), (200, 30, 30)).save(folder / "red.png")
    return folder


def test_detect_tells_a_line_for_a_picture_and_draws(place, capsys):
    picture, out = str(place / "red.png"), place / "found.png"
    words = ["detect", picture, picture, "--model", str(place / "detector")]
    assert main([*words, "--out", str(out)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith(picture)
    assert out.read_bytes().startswith(b"\x89PNG")
    assert main([*words, "--json", "--confidence", "0"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert told[0]["width"] == 40
    assert told[0]["objects"]
    assert main([*words, "--out", str(place / "found.html")]) == 0
    assert "<html" in (place / "found.html").read_text(encoding="utf-8")


def test_segment_writes_masks(place, capsys):
    picture, mask = str(place / "red.png"), place / "mask.png"
    words = ["segment", picture, "--model", str(place / "segmenter")]
    assert main([*words, "--mask", str(mask), "--show"]) == 0
    with Image.open(mask) as written_mask:
        assert written_mask.size == (40, 30)
    assert capsys.readouterr().out.startswith(picture)
    assert main([*words, picture, "--mask", str(place / "masks")]) == 0
    assert (place / "masks" / "red.png").exists()


def test_mistakes_are_one_sentence(place, capsys):
    for words, said in (
        (["detect", "--model", str(place / "detector")], "detect needs a picture"),
        (["detect", "x.png", "--model", str(place / "detector")], "x.png"),
        (["detect", "x.png", "--confidence", "2"], "from 0 to 1"),
        (["segment", "x.png", "--model", str(place / "detector")], "was trained for"),
        (["segment", "x.png", "--mask", "y.jpg", "--model", "m"], "ends in .png"),
    ):
        assert main(words) == 2
        assert said in capsys.readouterr().err
