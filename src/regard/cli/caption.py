"""``regard caption``: pictures to sentences."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ..errors import ChoiceError
from .computing import ComputeOptions
from .flags import Switch

if TYPE_CHECKING:
    from ..decoding.search import Strategy

USUAL = "scene-captioner"


def caption(
    *pictures: Path,
    model: str = USUAL,
    beam: int = 4,
    show: Switch = False,
    out: Path | None = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
    pace: ComputeOptions | None = None,
) -> None:
    """Say what is in pictures.

    A picture is a line out: its caption, with its name and a tab before it where there are several.
    With --json there are words, their log-probability, and where each looked; --show draws that,
    one panel for each word.

    Args:
        pictures: Files of pictures: PNG, JPEG, WebP, GIF, TIFF and others.
        model: The folder of a run or of a checkpoint, or a name of the zoo.
        beam: Captions that are thought of at once; 1 takes the likeliest word, step by step.
        show: Draw on stderr where each word looked.
        out: Draw it into a file ending in .png, .svg or .html; of all pictures.
        as_json: Print a JSON object per picture.
        pace: Where to compute.
    """
    from .console import speak_utf8
    from .files import require_end
    from .verbs import _show, draw, predictor_for

    if not pictures:
        raise ChoiceError("caption needs a picture, the name of a file, got none")
    if out is not None:
        require_end(out, "--out")
    device = (pace or ComputeOptions()).start()
    speak_utf8()
    captioner = predictor_for(model, ("captioning",), verb="caption", device=device)
    looks, strategy = show or out is not None or as_json, _strategy(beam)
    drawn: list[Any] = []
    for sample in captioner.predict(pictures, looks=looks, strategy=strategy):
        print(_line(sample, as_json, several=len(pictures) > 1))
        if show:
            _show(sample)
        drawn += [sample] if out is not None else []
    if out is not None:
        draw(out, drawn, model)


def _strategy(beam: int) -> "Strategy":
    from ..decoding import Beam, Greedy
    from ..tasks.search import fitted

    return Greedy() if beam == 1 else fitted(Beam, size=beam)


def _line(sample: Any, as_json: bool, *, several: bool) -> str:
    if as_json:
        return json.dumps(sample.to_json(), ensure_ascii=False)
    return f"{sample.name}\t{sample.text}" if several else sample.text
