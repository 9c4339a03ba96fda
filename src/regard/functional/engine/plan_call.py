"""Checks and plans a call once per signature, and remembers both.

They depend on shapes, dtypes, devices and choices, not on numbers. Layers of a model and
steps of a training ask for the same again and again, and a small attention is over before a plan is
made for it a second time.
"""

from collections.abc import Hashable
from typing import NamedTuple
from weakref import ref

import torch

from regard.types import Tensor

from .. import masks
from ..masks import Mask
from ..normalisers import Normaliser
from ..scores import Score, ScoreLike
from .call import Call, prepare
from .plan import choose, forced

MOST = 1024
"""Kinds of calls that are remembered before all are forgotten."""


class CallSignature(NamedTuple):
    """What all calls of one kind share. The mask is none of it: it would be kept alive."""

    leading: tuple[int, ...]
    score: Score
    normaliser: Normaliser
    path: str


_known: dict[Hashable, CallSignature] = {}


def plan_call(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score: ScoreLike,
    mask: Mask | Tensor | str | None,
    normalise: Normaliser | str,
    dropout: float,
    path: str,
) -> tuple[Call, str]:
    """The call, checked, and the path it takes."""
    signature = None
    if isinstance(mask, str):
        mask = masks.resolve(mask)
    if (
        isinstance(score, str)  # one with parameters is made anew for every call
        and isinstance(normalise, str)
        and (mask is None or isinstance(mask, Mask))
        and isinstance(query, Tensor)
        and isinstance(key, Tensor)
        and isinstance(value, Tensor)
        and not torch.compiler.is_compiling()
        and not (query.is_nested or key.is_nested or value.is_nested)  # they have no shape
    ):
        signature = (
            *(score, normalise, None if mask is None else ref(mask), dropout, path),
            *(query.shape, key.shape, value.shape, query.dtype, key.dtype, value.dtype),
            *(query.device, key.device, value.device, torch.is_grad_enabled()),
            *(query.layout, key.layout, value.layout),
            *(query.requires_grad, key.requires_grad, value.requires_grad),
        )
        kind = _known.get(signature)
        if kind is not None:
            leading, known_score, normaliser, known_path = kind
            call = Call(query, key, value, leading, known_score, mask, normaliser, dropout)
            return call, known_path
    call = prepare(query, key, value, score, mask, normalise, dropout)
    chosen = choose(call) if path == "auto" else forced(call, path)
    if signature is not None and call.key is key and call.value is value:
        if len(_known) >= MOST:
            _known.clear()
        _known[signature] = CallSignature(call.leading, call.score, call.normaliser, chosen.path)
    return call, chosen.path
