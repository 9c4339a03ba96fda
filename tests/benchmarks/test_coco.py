"""Average precision is that of pycocotools, to the last place."""

import contextlib
import io

import numpy as np
import pytest
import torch

from regard.measures import Detections, Objects, average_precision, ranked_hits

coco = pytest.importorskip("pycocotools.coco")
cocoeval = pytest.importorskip("pycocotools.cocoeval")

CLASSES = 3


def pictures(seed, count=12):
    """Objects, and guesses near them, beside them, and twice."""
    chance = np.random.default_rng(seed)
    found, there = [], []
    for _ in range(count):
        n = int(chance.integers(0, 6))
        low = chance.uniform(0, 200, (n, 2))
        gold = np.concatenate([low, low + chance.uniform(10, 90, (n, 2))], axis=1)
        labels = chance.integers(CLASSES, size=n)
        rows = chance.integers(n, size=2 * n) if n else np.zeros(0, dtype=np.int64)
        near = gold[rows] + chance.normal(0, 6, (len(rows), 4))
        near[:, 2:] = np.maximum(near[:, 2:], near[:, :2] + 1)  # they leave out what has no area
        stray = chance.uniform(0, 150, (3, 2))
        guess = np.concatenate([near, np.concatenate([stray, stray + 40], axis=1)])
        told = np.concatenate([labels[rows], chance.integers(CLASSES, size=3)])
        scores = chance.uniform(0.01, 1, len(guess))
        found.append(
            Detections(torch.tensor(guess), torch.tensor(scores), torch.tensor(told).long())
        )
        there.append(Objects(torch.tensor(gold).reshape(-1, 4), torch.tensor(labels).long()))
    return found, there


def theirs(found, there):
    """mAP, mAP at 0.5 and at 0.75 as pycocotools prints them."""
    gold = coco.COCO()
    annotations = [
        {
            "id": 1000 * picture + row + 1,
            "image_id": picture + 1,
            "category_id": int(label) + 1,
            "bbox": [*box[:2], box[2] - box[0], box[3] - box[1]],
            "area": (box[2] - box[0]) * (box[3] - box[1]),
            "iscrowd": 0,
        }
        for picture, one in enumerate(there)
        for row, (box, label) in enumerate(zip(one.boxes.tolist(), one.labels, strict=True))
    ]
    gold.dataset = {
        "images": [{"id": number + 1} for number in range(len(there))],
        "categories": [{"id": number + 1} for number in range(CLASSES)],
        "annotations": annotations,
    }
    told = [
        {
            "image_id": picture + 1,
            "category_id": int(label) + 1,
            "bbox": [*box[:2], box[2] - box[0], box[3] - box[1]],
            "score": float(score),
        }
        for picture, one in enumerate(found)
        for box, score, label in zip(one.boxes.tolist(), one.scores, one.labels, strict=True)
    ]
    with contextlib.redirect_stdout(io.StringIO()):
        gold.createIndex()
        judge = cocoeval.COCOeval(gold, gold.loadRes(told), "bbox")
        judge.evaluate()
        judge.accumulate()
        judge.summarize()
    return judge.stats[:3]


@pytest.mark.parametrize("seed", range(5))
def test_average_precision_is_that_of_pycocotools(seed):
    found, there = pictures(seed)
    ours = average_precision(found, there)
    expected = theirs(found, there)
    assert [ours.mean, ours.at(0.5), ours.at(0.75)] == pytest.approx(list(expected), abs=1e-9)
    assert ranked_hits(found, there).score().value == pytest.approx(100 * expected[1], abs=1e-7)
