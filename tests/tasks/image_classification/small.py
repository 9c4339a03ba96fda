"""Two classes of small pictures that a glance tells apart, as files of every kind."""

import gzip
import struct
from zipfile import ZipFile

import numpy as np
from PIL import Image

from regard.tasks.image_classification import ImageClassificationTask, LabelledPictures
from regard.training import Budget, Settings

SIDE = 8
MODEL = {
    "encoder": {"stem": 4, "widths": [6, 8], "blocks": [1, 1], "strides": [2, 2]},
}


def drawn(count, seed=0):
    """(N, 8, 8, 3), and whether each is brighter on the left."""
    chance = np.random.default_rng(seed)
    left = chance.random(count) < 0.5
    left[:2] = [True, False]
    pictures = chance.integers(0, 90, (count, SIDE, SIDE, 3), dtype=np.uint8)
    for picture, here in zip(pictures, left, strict=True):
        picture[:, : SIDE // 2] += np.uint8(120 * here)
        picture[:, SIDE // 2 :] += np.uint8(120 * (not here))
    return pictures, ["left" if here else "right" for here in left]


def folder(place, count, seed=0):
    """A folder for every class."""
    pictures, labels = drawn(count, seed)
    for number, (picture, label) in enumerate(zip(pictures, labels, strict=True)):
        (place / label).mkdir(parents=True, exist_ok=True)
        Image.fromarray(picture).save(place / label / f"{number:03}.png")
    return place


def table(place, count, seed=0):
    """Names and labels, beside a zip."""
    pictures, labels = drawn(count, seed)
    rows = []
    with ZipFile(place / "pictures.zip", "w") as packed:
        for number, (picture, label) in enumerate(zip(pictures, labels, strict=True)):
            path = place / f"p{number}.webp"
            Image.fromarray(picture).save(path, lossless=True)
            packed.write(path, path.name)
            path.unlink()
            rows.append(f"p{number}\t{label}\t7\n")
    (place / "train.tsv").write_text("".join(rows))
    return place / "train.tsv", place / "pictures.zip"


def idx(place, count, seed=0):
    """Grey pictures in the form of MNIST."""
    pictures, labels = drawn(count, seed)
    grey, numbers = pictures[..., 0], [label == "right" for label in labels]
    for name, magic, data in (
        ("train-images-idx3-ubyte.gz", 0x803, grey),
        ("train-labels-idx1-ubyte.gz", 0x801, np.array(numbers, dtype=np.uint8)),
    ):
        head = struct.pack(f">{1 + data.ndim}I", magic, *data.shape)
        (place / name).write_bytes(gzip.compress(head + data.tobytes()))
    return place / "train-images-idx3-ubyte.gz"


def sheets(place, seed=0):
    """Two sheets of 200 and 100 pictures, whose labels are one behind the other."""
    pictures, labels = drawn(300, seed)
    for number, part in enumerate((pictures[:200], pictures[200:])):
        grid = part.reshape(-1, 100, SIDE, SIDE, 3).swapaxes(1, 2)
        Image.fromarray(grid.reshape(-1, 100 * SIDE, 3)).save(place / f"train-{number}.png")
    digits = "".join("01"[label == "right"] for label in labels)
    (place / "train.labels").write_text(digits + "\n")
    return place / "train-0.png", place / "train-1.png"


def task(place, **changes):
    return ImageClassificationTask(
        data=LabelledPictures(train=folder(place / "train", 200), valid=folder(place / "v", 60, 1)),
        size=SIDE,
        **changes,
    )


def settings(task, steps, **changes):
    usual = {
        "optimisation": {"method": "sgd", "rate": 0.1},
        "batch": {"max_tokens": 32},
        "save_every": 10,
        "validate_every": steps,
        "log_every": 1,
        "average": 0.5,
    }
    return Settings(task=task, budget=Budget(steps=steps), **usual | changes)
