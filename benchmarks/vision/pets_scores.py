"""What models make of oxford-pets: masks, heads, and where a classifier looks that saw no mask.

Run as ``python -m benchmarks.vision.pets_scores DATA TABLES --segmenter RUN --detector RUN
--classifier RUN``; each may be left out. Prints JSON: the IoU of the animal, pixels of its border
left out, over all pixels and as the mean over pictures; the share of pictures whose surest head has
an IoU of a half or more; the pointing game of every map of the classifier, and beside each what a
constant answer gives.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

import regard
from regard.data.images import PictureStore
from regard.data.regions import MaskStore, read_table
from regard.measures import box_iou, hits_target
from regard.types import Tensor

ANIMAL, BACKGROUND, BORDER = 1, 2, 3


def _names(path: Path) -> list[str]:
    return [line.split("\t")[0] for line in path.read_text(encoding="utf-8").splitlines()]


def _masks(data: Path, names: list[str]) -> Iterator[Tensor]:
    store = MaskStore(data / "masks.zip")
    return (store.mask(name) for name in names)


def _iou(found: Tensor, mask: Tensor) -> tuple[int, int]:
    """Pixels of the animal in both and in either, the border left out."""
    counts = mask != BORDER
    ours, gold = found & counts, (mask == ANIMAL) & counts
    return int((ours & gold).sum()), int((ours | gold).sum())


def masks(data: Path, segmenter: Any) -> dict[str, float]:
    """IoU of the animal."""
    names, store = _names(data / "test.tsv"), PictureStore(data / "images.zip")
    number = segmenter.codec.labels.index("animal")
    samples = segmenter.predict(store[name] for name in names)
    rows = [
        _iou(sample.mask == number, mask)
        for sample, mask in zip(samples, _masks(data, names), strict=True)
    ]
    both, either = np.array(rows).sum(axis=0)
    return {
        "iou": float(both / either),
        "iou_mean_over_pictures": float(np.mean([a / max(1, b) for a, b in rows])),
    }


def constant_mask(data: Path) -> dict[str, float]:
    """The same of the mask that half of all animals of train have, and of a point in the middle."""
    train = [mask == ANIMAL for mask in _masks(data, _names(data / "train.tsv"))]
    mean = torch.stack(train).float().mean(dim=0)
    tests = list(_masks(data, _names(data / "test.tsv")))
    best = max(
        float(np.divide(*np.array([_iou(mean >= level, mask) for mask in tests]).sum(axis=0)))
        for level in (0.3, 0.4, 0.5)
    )
    middle = float(np.mean([bool(mask[48, 48] == ANIMAL) for mask in tests]))
    return {"constant_iou": best, "middle_pointing": middle}


def heads(data: Path, tables: Path, detector: Any) -> dict[str, float]:
    """Share of heads that the surest box has an IoU of a half with."""
    store = PictureStore(data / "images.zip")
    examples = list(read_table(str(tables / "heads-test.tsv")))
    gold = torch.tensor([one.regions[0].edges for one in examples])
    all_sure = detector.surer_than(0.0)
    hits = []
    for sample, box in zip(
        all_sure.predict(store[one.name] for one in examples), gold, strict=True
    ):
        width, height = sample.picture.size
        size = torch.tensor([width, height, width, height])
        found = torch.tensor([one.box for one in sample.objects[:1]]).reshape(-1, 4) / size
        hits.append(bool((box_iou(found, box[None]) >= 0.5).any()))
    return {"head_at_half": float(np.mean(hits))}


def pointing(data: Path, classifier: Any) -> dict[str, Any]:
    """The pointing game of every map that the classifier draws."""
    names, store = _names(data / "test.tsv"), PictureStore(data / "images.zip")
    hits: dict[str, list[bool]] = {}
    samples = classifier.predict((store[name] for name in names), looks=True)
    for sample, mask in zip(samples, _masks(data, names), strict=True):
        for panel in sample.panels:
            if panel.heat is None:
                continue
            wide = torch.nn.functional.interpolate(
                panel.heat[None, None], size=mask.shape, mode="bilinear", align_corners=False
            )[0, 0]
            hits.setdefault(panel.title, []).append(hits_target(wide, mask == ANIMAL))
    return {"pointing": {name: float(np.mean(own)) for name, own in hits.items()}}


def main() -> None:
    """Print the scores of what was named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("tables", type=Path)
    for name in ("segmenter", "detector", "classifier"):
        parser.add_argument(f"--{name}")
    told = parser.parse_args()
    found: dict[str, Any] = constant_mask(told.data)
    if told.segmenter:
        found |= masks(told.data, regard.load(told.segmenter))
    if told.detector:
        found |= heads(told.data, told.tables, regard.load(told.detector))
    if told.classifier:
        found |= pointing(told.data, regard.load(told.classifier))
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
