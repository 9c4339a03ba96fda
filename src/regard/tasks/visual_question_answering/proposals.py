"""Regions that a detector of ours finds, to be looked at in pictures that come without boxes."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from regard.errors import ChoiceError
from regard.storage.run_folder import read_best
from regard.storage.stored_model import read_model

from .example import Corners

MOST, LEAST = 36, 0.2
"""Boxes of a picture at most, and how sure of each a detector is: Anderson et al. 2018."""


def proposed(folder: Path, pictures: Iterable[Any]) -> Iterator[tuple[Corners, ...]]:
    """The boxes that the detector in a folder finds in each picture, the surest first.

    Args:
        folder: of a run of object detection, of one of its checkpoints, or of a packed model.
        pictures: whatever the detector reads.

    Raises:
        ChoiceError: a model of another task.
        StorageError: there is no model in the folder.
    """
    found = read_best(folder, read_model)
    kind = found.task["kind"]
    if kind != "object-detection":
        raise ChoiceError(
            f"a detector needs to be a model of object-detection, and {folder} was trained for "
            f"{kind}"
        )
    for sample in found.predictor("cpu").surer_than(LEAST).predict(pictures):
        width, height = sample.picture.size
        yield tuple(
            (left / width, top / height, right / width, bottom / height)
            for left, top, right, bottom in (one.box for one in sample.objects[:MOST])
        )
