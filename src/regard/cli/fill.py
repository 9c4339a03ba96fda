"""``regard fill``: text with holes to the likeliest words."""

import json
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from .computing import ComputeOptions
from .flags import Switch

USUAL = "en-bert"
AHEAD = 64
"""Texts that are read before the first of them is answered."""


def fill(
    *texts: str,
    model: str = USUAL,
    file: Path | None = None,
    top: int = 5,
    show: Switch = False,
    out: Path | None = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
    pace: ComputeOptions | None = None,
) -> None:
    """Fill the holes of text, a file or the standard input, line by line.

    A hole is [MASK] or ___, and stands for one token. A line in is a line out: the text with the
    likeliest words. With --show there are the likeliest words of every hole, and what it looked at;
    with --out every head is drawn over the sentence.

    Args:
        texts: Texts with holes, one each; lines of stdin if neither this nor --file is given.
        model: The folder of a run or of a checkpoint, or a name of the zoo.
        file: A file of lines.
        top: Words for every hole.
        show: Draw on stderr what is behind each answer.
        out: Draw it into a file ending in .png, .svg or .html; for one text.
        as_json: Print a JSON object per text.
        pace: Where to compute.
    """
    from .console import groups, plain, speak_utf8
    from .files import require_end
    from .verbs import draw, predictor_for

    if out is not None:
        require_end(out, "--out")
    device = (pace or ComputeOptions()).start()
    speak_utf8()
    filler = predictor_for(model, ("fill-mask",), verb="fill", device=device)
    looks = show or out is not None
    for group in groups(texts, file, AHEAD):
        for sample in filler.predict(group, top=top, looks=looks):
            print(json.dumps(sample.to_json(), ensure_ascii=False) if as_json else sample)
            if show:
                sys.stdout.flush()
                plain(stderr=True).print(sample)
            if out is not None:
                draw(out, [sample], model)
