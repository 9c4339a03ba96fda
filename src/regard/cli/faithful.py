"""``regard faithful``: does a map of weights explain what was predicted?"""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..errors import InputError
from .computing import ComputeOptions
from .examining import FEATURES, examined, require_end, tell
from .flags import Switch


def faithful(
    model: str,
    text: str,
    *,
    word: int = 0,
    module: str | None = None,
    thorough: Switch = False,
    out: Path | None = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
    pace: ComputeOptions | None = None,
) -> None:
    """Say whether attention explains one word: beside other methods, and what leaving out does.

    Columns for every token that is looked at: attention, value norms, ALTI, rollout, flow, gradient
    × attention, relevance, value zeroing, cut links, leave-one-out three ways; below, how well each
    agrees with leaving out, and the band of chance.

    Args:
        model: The folder of a run, of a checkpoint or of transformers, or a name of the zoo.
        text: A sentence; of a translator, one with its translation behind a tab, or its own.
        word: The number of the token that is predicted, from 0.
        module: Whose map; the last that looks at the source, or the last.
        thorough: Look for weights that are far away and predict the same, too: minutes.
        out: A file to write: .json, .html, .png, .svg or .npy.
        as_json: Print JSON.
        pace: Where to compute.
    """
    from ..lens.faithfulness import faithfulness

    require_end(out)
    device = (pace or ComputeOptions()).start()
    found = examined(model, [text], device)
    if found.kind == FEATURES:
        raise InputError(
            f"faithful explains a prediction, and {type(found.model).__name__} makes features "
            "alone: name a folder whose model has a head, such as BertForMaskedLM"
        )
    result = faithfulness(found.model, found.scenes[0], row=word, module=module, thorough=thorough)
    tell(result, out, as_json=as_json)
