"""``regard doctor``: what is wrong with a model's attention, and what to do."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from .computing import ComputeOptions
from .examining import examined, lines_of, require_end, tell
from .flags import Switch


def doctor(
    model: str,
    *,
    data: str | None = None,
    sentences: int = 16,
    strict: Switch = False,
    out: Path | None = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
    pace: ComputeOptions | None = None,
) -> int:
    """Find out why attention is uniform, stuck or leaking: cause, evidence, what to do.

    Weights, scores, gradients and runs with other padding, another order, another source are
    measured; of a run, its log too. What looks odd and is harmless is said to be so.

    Args:
        model: The folder of a run, of a checkpoint or of transformers, or a name of the zoo.
        data: A file of lines, as the model's task reads them; if not given what a run was
            validated on, or else our own grammar.
        sentences: Lines that are read at most.
        strict: End with code 1 where something is broken.
        out: A file to write: .json, .html, .png or .svg.
        as_json: Print JSON.
        pace: Where to compute.
    """
    from ..lens.doctor import doctor as examine
    from ..training.vitals import history_of
    from .models import folder_of

    require_end(out)
    device = (pace or ComputeOptions()).start()
    found = examined(model, lines_of(data, sentences), device, most=sentences)
    scene = max(found.scenes, key=lambda one: one.size)
    history = history_of(folder_of(model, "MODEL"))
    steps = history[-1]["step"] if history else None
    result = examine(found.model, scene, history=history, steps=steps)
    tell(result, out, as_json=as_json)
    return int(strict and bool(result.of("broken")))
