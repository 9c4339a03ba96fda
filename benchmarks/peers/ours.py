"""regard itself: as installed, with numba, and without it."""

from contextlib import AbstractContextManager
from typing import Any

from torch import Tensor
from torch.nn import functional

from regard.functional import masks, scores
from regard.functional.attend import attend

from ..case import Case
from ..inputs import Inputs
from .sdpa import KERNEL_WIDTH
from .system import Forward, System


def choices(case: Case, inputs: Inputs) -> dict[str, Any]:
    """The values a user would pass for the case; what is the default is not passed."""
    chosen: dict[str, Any] = {}
    if case.mechanism in ("sparsemax", "entmax15"):
        chosen["normalise"] = case.mechanism
    if case.mechanism == "gaussian":
        chosen["normalise"] = "proportional"
    score = score_of(case, inputs)
    if score is not None:
        chosen["score"] = score
    mask = mask_of(case, inputs)
    if mask is not None:
        chosen["mask"] = mask
    return chosen


def score_of(case: Case, inputs: Inputs) -> Any:
    """The score of the mechanism; None for the default."""
    if case.mechanism == "additive":
        return scores.Additive(inputs.parameters["v"])
    if case.mechanism == "general":
        return scores.General(inputs.parameters["weight"])
    if case.mechanism == "cosine":
        return scores.Cosine()
    if case.mechanism == "euclidean":
        return scores.Euclidean()
    if case.mechanism == "gaussian":
        return scores.Gaussian(KERNEL_WIDTH)
    if case.mechanism == "alibi":
        return scores.ScaledDot() + scores.Alibi(case.shape[1])
    return None


def mask_of(case: Case, inputs: Inputs) -> Any:
    """The recipe of the mask; None where every pair is allowed."""
    if case.mask == "causal":
        return masks.causal()
    if case.mask == "padded":
        return masks.padding(inputs.lengths)
    if case.mask == "back":
        return masks.window(case.window, 0)
    if case.mask == "around":
        return masks.window(case.window, case.window)
    return None


def attended(case: Case, inputs: Inputs) -> Forward:
    """``attend`` with the case's choices."""
    query, key, value = inputs.query, inputs.key, inputs.value
    chosen = choices(case, inputs)
    return lambda: attend(query, key, value, **chosen)


def layer(case: Case, inputs: Inputs) -> Forward:
    """One projection in, ``attend``, one projection out: what a multi-head layer does."""
    batch, heads, positions, width = case.shape
    x, parameters = inputs.query, inputs.parameters

    def forward() -> Tensor:
        projected = functional.linear(x, parameters["in_weight"], parameters["in_bias"])
        split = projected.view(batch, positions, 3, heads, width).permute(2, 0, 3, 1, 4)
        context = attend(*split.unbind(0)).transpose(1, 2).flatten(2)
        return functional.linear(context, parameters["out_weight"], parameters["out_bias"])

    return forward


def weighed(case: Case, inputs: Inputs) -> Forward:
    """Eight rows from the middle of the map."""
    from regard.functional.weigh import weigh

    middle = case.positions // 2
    rows = slice(middle - 4, middle + 4)
    return lambda: weigh(inputs.query, inputs.key, rows=rows)


def summarised(case: Case, inputs: Inputs) -> Forward:
    """Entropy and its sisters for every row of the map, which is never built."""
    from regard.functional.statistics import statistics

    mask = mask_of(case, inputs)
    return lambda: statistics(inputs.query, inputs.key, mask=mask).entropy


def without_numba() -> AbstractContextManager[object]:
    """The context in which the compiled kernels are not used."""
    from regard.kernels.available import without_numba as off

    return off()


BUILDERS = {
    **dict.fromkeys(
        (
            "softmax",
            "additive",
            "sparsemax",
            "entmax15",
            "window",
            "general",
            "cosine",
            "euclidean",
            "gaussian",
            "alibi",
        ),
        attended,
    ),
    "layer": layer,
    "weigh": weighed,
    "statistics": summarised,
}

REGARD = System(name="regard", note="regard as installed", builders=BUILDERS)

REGARD_NUMBA = System(
    name="regard, numba",
    note="regard with its compiled kernels",
    builders=BUILDERS,
    module="numba",
)

REGARD_EAGER = System(
    name="regard, no numba",
    note="regard with its kernels switched off: eager tiles",
    builders=BUILDERS,
    around=without_numba,
)
