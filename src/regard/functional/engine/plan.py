"""Which path runs, and why."""

from collections.abc import Callable
from typing import Literal, NamedTuple

from regard.errors import ChoiceError
from regard.types import Float, Tensor

from ..masks import Mask
from ..normalisers import Normaliser
from ..scores import ScoreLike
from .lower import lower, lowers
from .reference import reference
from .stream import stream
from .task import Task, prepare
from .unseen import blind
from .window import BAND, reach, window

Path = Literal["auto", "reference", "lower", "window", "stream"]

SMALL_MAP = 2**17
"""Numbers, over all leading axes, up to which building the whole map is cheaper than blocks."""


class Unfused(NamedTuple):
    """Pairs per head up to which the whole map is faster than a fused kernel."""

    plain: int
    """Without a mask."""
    lowered: int
    """With one that the kernel takes as it is."""
    tiled: int
    """With any other."""


INFERENCE = Unfused(plain=0, lowered=0, tiled=0)
TRAINING = Unfused(plain=128**2, lowered=48**2, tiled=128**2)
"""As measured: the kernel's backward pass computes the map once more, its forward pass only spares
what a mask costs on top of one."""


class Plan(NamedTuple):
    """The path an attention takes and the reason for it."""

    path: str
    why: str


RUN: dict[str, Callable[[Task], Tensor]] = {
    "reference": blind(reference),
    "lower": blind(lower),
    "window": blind(window),
    "stream": blind(stream),
}


def obstacle(task: Task) -> str | None:
    """Why no fused kernel can compute this, whatever the mask; ``None`` if one can."""
    if not task.normaliser.is_softmax:
        return f"{task.normaliser.name} is no softmax"
    if not task.score.is_inner(task.mask):
        return f"the score {task.score!r} is no inner product"
    return "the fused kernel cannot drop weights reproducibly" if task.dropout else None


def faster_unfused(task: Task) -> bool:
    """Whether a map is so small that the fused kernels only get in the way."""
    most = TRAINING if task.needs_grad else INFERENCE
    masked = most.lowered if lowers(task.mask) else most.tiled
    return task.num_queries * task.num_keys <= (most.plain if task.mask is None else masked)


def choose(task: Task) -> Plan:
    """The fastest path that keeps memory linear."""
    if not task.num_queries or not task.num_keys:
        return Plan("reference", "there is nothing to attend to")
    why = obstacle(task)
    if why is not None:
        if task.num_scores * task.score.pair_width <= SMALL_MAP:
            return Plan("reference", f"{why}, and the map is small")
        return Plan("stream", f"{why}: row blocks, computed again in the backward pass")
    if faster_unfused(task):
        return Plan("reference", "so small a map is faster unfused")
    if lowers(task.mask):
        return Plan("lower", "softmax over an inner product: one fused call")
    sides = reach(task.mask)
    if sides is not None and sum(sides) + BAND < task.num_keys:
        return Plan("window", "softmax in a window: one fused call over bands")
    return Plan(
        "stream", f"the mask {task.mask!r} leaves tiles to skip: a fused call per row block"
    )


def forced(task: Task, path: str) -> Plan:
    """The plan for a path the user insists on.

    Raises:
        ChoiceError: no such path, or one that cannot run this attention.
    """
    if path not in RUN:
        raise ChoiceError(f"unknown path {path!r}. Known: auto, {', '.join(sorted(RUN))}.")
    why = obstacle(task) if path in ("lower", "window") else None
    if path == "lower" and why is None and not lowers(task.mask):
        why = f"the mask {task.mask!r} would have to be built"
    if path == "window" and why is None and reach(task.mask) is None:
        why = f"the mask {task.mask!r} is no window"
    if why is not None:
        raise ChoiceError(f"path {path!r} cannot run this: {why}; use path='auto'")
    if not task.num_queries or not task.num_keys:
        return Plan("reference", "there is nothing to attend to")
    return Plan(path, "asked for")


def plan(
    query: Float[Tensor, "*#B Q Dq"],
    key: Float[Tensor, "*#G Kk Dk"],
    value: Float[Tensor, "*#G Kv E"],
    *,
    score: ScoreLike = "scaled_dot",
    mask: Mask | Tensor | str | None = None,
    normalise: Normaliser | str = "softmax",
    dropout: float = 0.0,
) -> Plan:
    """What :func:`regard.attend` would do with these arguments, and why; nothing is computed.

    >>> plan(q, k, v, normalise="sparsemax").path  # doctest: +SKIP
    'stream'
    """
    return choose(prepare(query, key, value, score, mask, normalise, dropout))
