"""Modules that can be watched while they attend.

A :class:`AttentionEvent` is one act of attending, as it happened: enough to have its weights again.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import torch
from torch import nn

from regard.types import Float, Tensor

from .index import Index, take
from .masks import Mask
from .normalisers import Normaliser
from .scores import Score, ScoreLike
from .weigh import weigh


@runtime_checkable
class AttentionEvent(Protocol):
    """Where a module looked, once."""

    def weigh(self, rows: Index | None = None, heads: Index | None = None) -> Tensor:
        """The weights, or some of their rows and heads; nothing is computed before this call."""


@dataclass(frozen=True, eq=False)
class Attended:
    """A call of :func:`regard.attend`: its weights are computed again when they are asked for.

    Vectors and learned parameters are copied, so that neither training on nor writing over them
    changes what was seen. Weights are those before dropout.
    """

    query: Tensor
    key: Tensor
    score: ScoreLike = "scaled_dot"
    mask: Mask | Tensor | str | None = None
    normalise: Normaliser | str = "softmax"

    def __post_init__(self) -> None:
        query = self.query.detach().clone()
        key = query if self.key is self.query else self.key.detach().clone()
        for name, value in (("query", query), ("key", key), ("score", _kept(self.score))):
            object.__setattr__(self, name, value)
        if isinstance(self.normalise, Normaliser) and self.normalise.tensors():
            learned = tuple(x.detach().clone() for x in self.normalise.tensors())
            object.__setattr__(self, "normalise", self.normalise.given(learned))

    @torch.no_grad()
    def weigh(
        self, rows: Index | None = None, heads: Index | None = None
    ) -> Float[Tensor, "*B Q K"]:
        """The weights the fused path never wrote down."""
        return weigh(
            self.query,
            self.key,
            score=self.score,
            mask=self.mask,
            normalise=self.normalise,
            rows=rows,
            heads=heads,
        )


def _kept(value: Any) -> Any:
    """A score whose parameters are copies; all else as it is."""
    if isinstance(value, nn.Parameter):
        return value.detach().clone()
    if isinstance(value, tuple):
        return tuple(map(_kept, value))
    if not isinstance(value, Score):
        return value
    twin = copy.copy(value)
    for name, part in vars(value).items():
        object.__setattr__(twin, name, _kept(part))
    return twin


@dataclass(frozen=True, eq=False)
class StoredWeights:
    """Weights that the module had in its hands anyway, (*B, Q, K), or gates of any shape."""

    weights: Tensor = field(repr=False)

    def weigh(self, rows: Index | None = None, heads: Index | None = None) -> Tensor:
        """The weights as they were; ``rows`` and ``heads`` index the axes −2 and −3."""
        return take(take(self.weights, "heads", heads, -3), "rows", rows, -2)


Watcher = Callable[[AttentionEvent], None]


class Observable(nn.Module):
    """A module that tells whoever watches where it looks.

    With nobody watching that costs one look at an empty list. See :func:`regard.lens.capture`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.watchers: list[Watcher] = []

    def notify(self, event: AttentionEvent) -> None:
        """Pass an event on to everyone who watches."""
        for watcher in self.watchers:
            watcher(event)

    def __getstate__(self) -> dict[str, object]:
        """A copy is watched by nobody."""
        return {**self.__dict__, "watchers": []}
