"""Glimpses as one more classifier: endless clutter, reward in the log, the path in the picture."""

import json

import numpy as np
import pytest
import torch

import regard
from regard.data.clutter import cluttered
from regard.data.images.labelled import read_labelled_pictures
from regard.models import build
from regard.tasks.image_classification.data import LabelledPictures
from regard.tasks.image_classification.task import ImageClassificationTask
from regard.training import Budget, Settings, launch

DATA = LabelledPictures(
    train=("cluttered-digits",), valid=("cluttered-digits-valid",), valid_size=20
)
TINY = {"num_glimpses": 3, "patch_size": 6, "scales": 2, "glimpse_dim": 8, "hidden_dim": 8}


def test_a_word_names_pictures_of_a_split():
    train = read_labelled_pictures("cluttered-digits")
    test = read_labelled_pictures("cluttered-digits-test")
    assert (len(train), train.size) == (2000, (60, 60))
    first = cluttered(0, 0)
    assert train.labels[0] == str(first.digit)
    assert np.array_equal(train.pixels((60, 60))[0, ..., 1], first.pixels)
    assert test.labels[0] == str(cluttered(0, 0, split="test").digit)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("glimpses") / "run"
    task = ImageClassificationTask(data=DATA)
    settings = Settings(
        task=task, batch={"max_tokens": 16}, budget=Budget(steps=2), log_every=1, seed=3
    )
    launch(settings, "glimpses-small", folder, changes=TINY)
    return folder


def test_reward_and_baseline_are_logged_beside_the_labels(run):
    lines = [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
    update = next(one for one in lines if one["kind"] == "train")
    assert {"nll", "correct", "reinforce", "baseline"} <= set(update)


def test_pictures_never_end_and_have_numbers():
    task = ImageClassificationTask(data=DATA)
    codec = task.learn()
    assert codec.labels == tuple("0123456789")
    pools = task.pools(codec, longest=None)
    assert pools.count is None
    pool = pools.pool(0, 1, None)
    assert int(pool.indices[0]) == 2048
    batch = pool.corpus.batch(np.array([5]), indices=np.array([5]), num_targets=1)
    assert np.array_equal(batch.pixels[0, 0].numpy(), cluttered(0, 2053).pixels)
    assert int(batch.targets[0]) == cluttered(0, 2053).digit


def test_an_answer_shows_the_path_of_the_eye(run):
    labeller = regard.load(run)
    picture = torch.from_numpy(cluttered(0, 1, split="test").pixels).expand(3, -1, -1).clone()
    sample = labeller(picture, looks=True)
    assert sample.label in "0123456789"
    path, sharp = sample.panels
    assert len(path.path) == TINY["num_glimpses"] and path.path[0] == (0.5, 0.5)
    assert [box.label for box in sharp.boxes] == ["1", "2", "3"]
    assert sharp.boxes[0].right - sharp.boxes[0].left == pytest.approx(6 / 60)
    assert labeller(picture).label == sample.label


def test_the_preset_has_eight_glimpses():
    assert build("glimpses-small", labels=10).config.num_glimpses == 8
