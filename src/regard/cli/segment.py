"""``regard segment``: the class of every pixel."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..errors import ChoiceError
from .computing import ComputeOptions
from .files import write
from .flags import Switch
from .picture_verbs import Asked


def segment(
    *pictures: Path,
    model: str,
    mask: Path | None = None,
    show: Switch = False,
    out: Path | None = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
    pace: ComputeOptions | None = None,
) -> None:
    """Tell the pixels of pictures apart.

    A picture in is a line out: its name, then a field for each label with the share of the picture
    that it takes. With --json there are the masks as COCO's run lengths.

    Args:
        pictures: Files of pictures.
        model: The folder of a run or of a checkpoint, or a name of the zoo.
        mask: Write the mask of a picture as PNG, one number a pixel; for several pictures a folder.
        show: Draw masks, and where the model looked, on stderr.
        out: Draw them into a file ending in .png, .svg or .html.
        as_json: Print a JSON object per picture.
        pace: Where to compute.
    """
    several = mask is not None and (len(pictures) > 1 or mask.is_dir())
    if mask is not None and not several and mask.suffix.lower() != ".png":
        raise ChoiceError(f"--mask needs a name that ends in .png, or a folder, got {str(mask)!r}")
    if several and mask is not None:
        mask.mkdir(parents=True, exist_ok=True)
    asked = Asked(
        verb="segment",
        tasks=("segmentation",),
        model=model,
        show=show,
        out=out,
        as_json=as_json,
        pace=pace,
    )
    for path, sample in zip(pictures, asked.answers(pictures), strict=True):
        if mask is not None:
            data = sample.png()
            place = mask / f"{path.stem}.png" if several else mask
            write(place, lambda file, data=data: file.write(data))  # type: ignore[misc]
