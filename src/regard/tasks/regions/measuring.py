"""Which pictures models are measured on."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .files import FileRegions
from .held_out import HeldOut
from .scenes import SceneRegions


def held_out(predictor: Any, data: Sequence[str], scenes: int, *, masked: bool) -> HeldOut:
    """The pictures to measure on, in the frames of a predictor.

    Args:
        predictor: whose codec says labels and frame.
        data: tables or COCO's JSON, then perhaps a folder or zip of pictures, and one of masks;
            scenes of our own if there is nothing.
        scenes: how many of them.
        masked: whether masks are wanted.
    """
    if not data:
        kinds = tuple(label for label in predictor.codec.labels if label != "background")
        chosen = SceneRegions(kinds=kinds, valid_size=scenes, side=predictor.codec.height)
        return chosen.held_out(predictor.codec, masked=masked)
    tables = [path for path in data if not _is_place(path)]
    places = [path for path in data if _is_place(path)]
    named = tuple(tables or places)
    files = FileRegions(
        train=named,
        valid=named,
        pictures=places[0] if tables and places else None,
        masks=places[1] if masked and len(places) > 1 else None,
    )
    return files.placed(masked=masked).held_out(predictor.codec, masked=masked)


def _is_place(path: str) -> bool:
    return path.endswith(".zip") or Path(path).is_dir()
