"""Which path runs, and why.

Checks and plans depend on shapes, dtypes, devices and choices, not on numbers. Layers of a model
and steps of a training ask for the same again and again, and a small attention is over before a
plan is made for it a second time; so both are made once per signature, and remembered.
"""

from collections.abc import Callable, Hashable
from typing import Literal, NamedTuple
from weakref import ref

import torch
from torch.nn import Parameter

from regard.errors import ChoiceError
from regard.kernels.derivatives import plainly_run
from regard.kernels.reduced_precision import products_are_reduced
from regard.types import Float, Tensor

from ..masks import Mask
from ..normalisers import Normaliser
from ..scores import Score, ScoreLike
from .call import Call, prepare
from .fused import BAND, fits_fused, fused, kernel_factor, window, window_of
from .reference import reference
from .stream import stream
from .unseen import mask_safe

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


INFERENCE = Unfused(plain=128**2, lowered=64**2, tiled=0)
TRAINING = Unfused(plain=128**2, lowered=64**2, tiled=128**2)
"""As measured on a CPU: many small products at once are faster than the kernel's own, until maps
no longer stay in the cache. A mask costs them more than it costs the kernel."""
ENOUGH = 2**16
"""Scores, over all heads, below which the kernel is over before several operations are called."""
REDUCED = Unfused(plain=256**2, lowered=256**2, tiled=256**2)
"""The same on a CPU where factors have 16 bits: the kernel's small products are no faster for it,
and those of its backward pass several times as slow."""


class Plan(NamedTuple):
    """The path an attention takes and the reason for it."""

    path: str
    why: str


RUN: dict[str, Callable[[Call], Tensor]] = {
    "reference": mask_safe(reference),
    "lower": mask_safe(fused),
    "window": mask_safe(window),
    "stream": mask_safe(stream),
}


def obstacle(call: Call) -> str | None:
    """Why no fused kernel can compute this, whatever the mask; ``None`` if one can."""
    if not call.normaliser.is_softmax:
        return f"{call.normaliser.name} is no softmax"
    if not call.score.is_inner(call.mask):
        return f"the score {call.score!r} is no inner product"
    return "the fused kernel cannot drop weights reproducibly" if call.dropout else None


def faster_unfused(call: Call) -> bool:
    """Whether a map is so small that the fused kernels only get in the way."""
    reduced, pairs = _has_reduced_factors(call), call.num_queries * call.num_keys
    if not call.needs_grad and (reduced or call.query.device.type != "cpu"):
        return False  # the kernel's forward pass has factors of 16 bits, too
    most = INFERENCE
    if call.needs_grad:
        most = REDUCED if reduced else TRAINING
    if not fits_fused(call.mask):
        return pairs <= most.tiled
    enough = most is REDUCED or call.num_scores >= ENOUGH
    return enough and pairs <= (most.plain if call.mask is None else most.lowered)


def _has_reduced_factors(call: Call) -> bool:
    half = call.query.dtype in (torch.bfloat16, torch.float16)
    return call.query.device.type == "cpu" and (half or products_are_reduced())


def choose(call: Call) -> Plan:
    """The fastest path that keeps memory linear."""
    if not call.num_queries or not call.num_keys:
        return Plan("reference", "there is nothing to attend to")
    why = obstacle(call)
    if why is not None:
        if call.num_scores * call.score.pair_width <= SMALL_MAP:
            return Plan("reference", f"{why}, and the map is small")
        return Plan("stream", f"{why}: row blocks, computed again in the backward pass")
    if faster_unfused(call):
        return Plan("reference", "so small a map is faster unfused")
    if fits_fused(call.mask):
        return Plan("lower", "softmax over an inner product: one fused call")
    sides = window_of(call.mask)
    if sides is not None and sum(sides) + BAND < call.num_keys:
        return Plan("window", "softmax in a window: one fused call over bands")
    return Plan(
        "stream", f"the mask {call.mask!r} leaves tiles to skip: a fused call per row block"
    )


def forced(call: Call, path: str) -> Plan:
    """The plan for a path the user insists on.

    Raises:
        ChoiceError: no such path, or one that cannot run this attention.
    """
    if path not in RUN:
        raise ChoiceError(f"unknown path {path!r}. Known: auto, {', '.join(sorted(RUN))}.")
    why = obstacle(call) if path in ("lower", "window") else None
    if path == "lower" and why is None and not fits_fused(call.mask):
        why = f"the mask {call.mask!r} would have to be built"
    if path == "window" and why is None and window_of(call.mask) is None:
        why = f"the mask {call.mask!r} is no window"
    if why is not None:
        raise ChoiceError(f"path {path!r} cannot run this: {why}; use path='auto'")
    if not call.num_queries or not call.num_keys:
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


MOST = 1024
"""Kinds of calls that are remembered before all are forgotten."""


class CallSignature(NamedTuple):
    """What all calls of one kind share. The mask is none of it: it would be kept alive."""

    leading: tuple[int, ...]
    score: Score
    normaliser: Normaliser
    path: str
    factor: float | None
    """Of the fused kernel, where nothing else is to be done, see :func:`.fused.at_once`."""

    def call(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Mask | None, dropout: float
    ) -> Call:
        """A call of this kind."""
        vectors = query, key, value
        return Call(*vectors, self.leading, self.score, mask, self.normaliser, dropout)


_known: dict[Hashable, CallSignature] = {}
_PLAIN = (Tensor, Parameter)


def recalled(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score: ScoreLike,
    mask: Mask | Tensor | None,
    normalise: Normaliser | str,
    dropout: float,
    path: str,
) -> tuple[Hashable, CallSignature | None]:
    """By what a call is known, and what is known of it; ``None`` where it is to be made anew."""
    if not (
        isinstance(score, str)  # one with parameters is made anew for every call
        and isinstance(normalise, str)
        and (mask is None or isinstance(mask, Mask))
        and type(query) in _PLAIN
        and type(key) in _PLAIN
        and type(value) in _PLAIN
        and plainly_run()
        and not (query.is_nested or key.is_nested or value.is_nested)  # they have no shape
    ):
        return None, None
    needs_grad = torch.is_grad_enabled() and (
        query.requires_grad or key.requires_grad or value.requires_grad
    )
    signature = (
        *(score, normalise, None if mask is None else ref(mask), dropout, path),
        *(query.shape, key.shape, value.shape, query.dtype, key.dtype, value.dtype),
        *(query.device, key.device, value.device, query.layout, key.layout, value.layout),
        *(needs_grad, needs_grad and products_are_reduced()),
    )
    return signature, _known.get(signature)


def plan_call(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score: ScoreLike,
    mask: Mask | Tensor | None,
    normalise: Normaliser | str,
    dropout: float,
    path: str,
    signature: Hashable,
) -> tuple[Call, str]:
    """The call, checked, and the path it takes; remembered by its signature, if it has one."""
    call = prepare(query, key, value, score, mask, normalise, dropout)
    chosen = choose(call) if path == "auto" else forced(call, path)
    if signature is not None and call.key is key and call.value is value:
        if len(_known) >= MOST:
            _known.clear()
        factor = kernel_factor(call) if chosen.path == "lower" else None
        kind = CallSignature(call.leading, call.score, call.normaliser, chosen.path, factor)
        _known[signature] = kind
    return call, chosen.path
