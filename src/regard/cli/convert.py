"""``regard convert``: models of transformers in, and models of ours out."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ..errors import ChoiceError

if TYPE_CHECKING:
    from ..zoo.hugging_face import Converted


def convert(
    run: Path | None = None,
    /,
    *,
    from_hf: Annotated[Path | None, Parameter(name="--from-hf")] = None,
    to_hf: Annotated[Path | None, Parameter(name="--to-hf")] = None,
    out: Path | None = None,
    family: str | None = None,
) -> None:
    """Turn a model of transformers into one that every command opens, or the other way round.

    What comes out computes the same numbers. Weights are read as safetensors alone, and nothing in
    the folder is run; a setting or a weight that is not understood is refused, and named.

    Args:
        run: The folder of a run, of a checkpoint or of a packed model, for --to-hf.
        from_hf: A folder as save_pretrained writes it: config.json, model.safetensors,
            tokenizer.json.
        to_hf: The folder to make of a run, which from_pretrained reads.
        out: The folder to make of --from-hf.
        family: With --to-hf, theirs by model_type; the first that has such a model if not given.
    """
    from ..zoo.hugging_face import from_hugging_face, to_hugging_face

    if from_hf is not None and out is not None and not (run or to_hf or family):
        tell(from_hugging_face(from_hf, out))
        return
    if run is not None and to_hf is not None and not (from_hf or out):
        tell(to_hugging_face(run, to_hf, family=family))
        return
    raise ChoiceError(
        "convert needs --from-hf FOLDER with --out RUN, or a run with --to-hf FOLDER, and not both"
    )


def tell(done: "Converted") -> None:
    """What it is, on stderr; where it is, on stdout."""
    print(f"{done.family}, {done.task}: {done.parameters:,} parameters", file=sys.stderr)
    if done.left_out:
        print(f"left out, no part of the model: {', '.join(done.left_out)}", file=sys.stderr)
    print(done.folder)
