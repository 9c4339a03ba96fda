"""``regard detect``: objects in pictures."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..errors import RangeError
from .computing import ComputeOptions
from .flags import Switch
from .picture_verbs import Asked

USUAL = "cell-detector"


def detect(
    *pictures: Path,
    model: str = USUAL,
    confidence: float = 0.3,
    show: Switch = False,
    out: Path | None = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
    pace: ComputeOptions | None = None,
) -> None:
    """Find the objects in pictures.

    A picture in is a line out: its name, then a field for each object with label, how sure the
    model is, and left, top, right and bottom edge in pixels of the picture. With --json there is
    where a model with attention looked, too.

    Args:
        pictures: Files of pictures.
        model: The folder of a run or of a checkpoint, or a name of the zoo.
        confidence: From 0 to 1: objects that are less sure are not told.
        show: Draw boxes, and where the model looked, on stderr.
        out: Draw them into a file ending in .png, .svg or .html.
        as_json: Print a JSON object per picture.
        pace: Where to compute.
    """
    if not 0 <= confidence <= 1:
        raise RangeError(f"--confidence needs a number from 0 to 1, got {confidence:g}")
    asked = Asked(
        verb="detect",
        tasks=("object-detection",),
        model=model,
        show=show,
        out=out,
        as_json=as_json,
        pace=pace,
    )
    for _ in asked.answers(pictures, lambda one: one.surer_than(confidence)):
        pass
