"""``regard census``: what every head of a model does."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from .computing import ComputeOptions
from .examining import examined, lines_of, require_end, tell
from .flags import Several, Switch


def census(
    model: str,
    *,
    data: str | None = None,
    other: str | None = None,
    roles: Annotated[tuple[str, ...], Several] = (),
    sentences: int = 64,
    important: Switch = False,
    out: Path | None = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
    pace: ComputeOptions | None = None,
) -> None:
    """Say what every head of a trained model does, over a corpus.

    Roles such as previous, sink, induction, alignment, each with its score, a 95 % interval and
    what a head scores that looks at all keys alike; what a head looks by: keys, distances, content;
    how sure it is. A head may have several names, or none.

    Args:
        model: The folder of a run, of a checkpoint or of transformers, or a name of the zoo.
        data: A file of lines, as the model's task reads them; if not given what a run was
            validated on, or else our own grammar.
        other: Another corpus: say how many of the names are the same on both.
        roles: Names of roles; all if not given.
        sentences: Lines that are read at most.
        important: Measure too what the loss loses without each head.
        out: A file to write: .json with examples for every head, .html, .png, .svg or .npy.
        as_json: Print JSON.
        pace: Where to compute.
    """
    from ..lens.census import census as examine

    require_end(out)
    device = (pace or ComputeOptions()).start()
    found = examined(model, lines_of(data, sentences), device, most=sentences)
    wanted = roles or None
    result = examine(found.model, found.scenes, roles=wanted, important=important)
    tell(result, out, as_json=as_json)
    if other is not None:
        again = examined(model, lines_of(other, sentences), device)
        second = examine(again.model, again.scenes, roles=wanted, important=False, examples=False)
        print(f"names that are the same on both corpora (Jaccard): {result.stability(second):.2f}")
