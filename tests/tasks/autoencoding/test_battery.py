"""The battery of tasks on pictures; that on texts is in tests/testing."""

import pytest
from PIL import Image

from regard.data.batches import BatchConfig
from regard.tasks.autoencoding import AutoencodingTask, PictureFiles
from regard.testing import TASK_CHECKS, check_task
from regard.training import Settings
from tasks.image_classification import small as pictures

SMALL = {"encoder": {"stem": 4, "widths": [6], "blocks": [1], "strides": [2]}}
TINY = {"latent": 5, "widths": [6, 4]}
PATCHES = {"encoder": {"patch_size": 2, "model_dim": 12, "num_layers": 1, "hidden_dim": 16}}
NOT_BY_PARTS = {"cnn-autoencoder": ("loss", "processes")}
"""Batch norm sees the batch of its own process."""


@pytest.mark.parametrize(
    ("model", "changes"), [("cnn-autoencoder", SMALL), ("vit-autoencoder", PATCHES)]
)
def test_pictures_pass_the_battery(model, changes, tmp_path, without_shape_checks):
    train, valid = (pictures.folder(tmp_path / name, n, n) for name, n in (("t", 30), ("v", 7)))
    task = AutoencodingTask(data=PictureFiles(train=train, valid=valid), size=8)
    fewer = PictureFiles(train=train, valid=pictures.folder(tmp_path / "other", 5, 2))
    missing = PictureFiles(train=tmp_path / "missing.tsv")
    (tmp_path / "nothing").mkdir()
    empty = PictureFiles(train=tmp_path / "nothing")
    left_out = NOT_BY_PARTS.get(model, ())
    report = check_task(
        Settings(
            task=task,
            batch=BatchConfig(max_tokens=6),
            optimisation={"rate": 0.01},
            measure="psnr",
        ),
        model,
        inputs=[Image.fromarray(one) for one in pictures.drawn(3, 4)[0]],
        changes=changes | TINY,
        flawed=[task.model_copy(update={"data": one}) for one in (missing, empty)],
        other=task.model_copy(update={"data": fewer}),
        only=[name for name in TASK_CHECKS if name not in left_out],
    )
    assert len(report)
