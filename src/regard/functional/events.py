"""Modules that can be watched while they attend.

A :class:`AttentionEvent` is one act of attending, as it happened: enough to have its weights again,
and to see whether they are those that ran.
"""

import copy
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import torch
from torch import nn

from regard.errors import ChoiceError
from regard.types import Float, Tensor

from .index import Index, take
from .masks import Mask
from .normalisers import Normaliser
from .scores import Score, ScoreLike
from .weigh import weigh

if TYPE_CHECKING:
    from .asked import Edit

Kind = Literal["self", "cross", "pool", "gate"]
"""What attends to what: a sequence to itself, to another one, one learned query to a sequence, or
numbers that multiply features."""


@runtime_checkable
class AttentionEvent(Protocol):
    """Where a module looked, once."""

    def weigh(self, rows: Index | None = None, heads: Index | None = None) -> Tensor:
        """The weights, or some of their rows and heads; nothing is computed before this call."""


@dataclass(frozen=True, eq=False)
class Attended:
    """A call of :func:`regard.attend`: its weights are computed again when they are asked for.

    Tensors are kept by reference, which costs nothing; learned parameters are copied, so that
    training on does not change what was seen. What was written over since is refused, not read.
    Weights are those before dropout.

    Args:
        query: what looked, (*B, Q, Dq).
        key: what was looked at, (*#B, K, Dk); of four axes or more the heads may be fewer.
        score: as in :func:`regard.attend`.
        mask: as in :func:`regard.attend`.
        normalise: as in :func:`regard.attend`.
        value: what was pooled, (*#B, K, E).
        context: what came out, (*B, Q, E).
        kind: what attended to what.
        training: whether the module was in training.
        dropout: the probability with which each weight was dropped.
        weights: (*B, Q, K), where the module had them in its hands anyway.
        pooled: (*B, Q, K), what the values were multiplied with, where that was not the weights:
            the one key that was drawn from them.
    """

    query: Tensor
    key: Tensor
    score: ScoreLike = "scaled_dot"
    mask: Mask | Tensor | str | None = None
    normalise: Normaliser | str = "softmax"
    value: Tensor | None = None
    context: Tensor | None = None
    kind: Kind = "self"
    training: bool = False
    dropout: float = 0.0
    weights: Tensor | None = field(default=None, repr=False)
    pooled: Tensor | None = field(default=None, repr=False)
    _versions: tuple[int | None, ...] = field(default=(), init=False, repr=False)

    def __post_init__(self) -> None:
        query = held(self.query)
        key = query if self.key is self.query else held(self.key)
        value = key if self.value is self.key else None if self.value is None else held(self.value)
        kept = {"query": query, "key": key, "value": value, "score": _kept(self.score)}
        for name in ("weights", "pooled"):
            part = getattr(self, name)
            kept[name] = None if part is None else part.detach()
        for name, part in kept.items():
            object.__setattr__(self, name, part)
        if isinstance(self.normalise, Normaliser) and self.normalise.tensors():
            learned = tuple(x.detach().clone() for x in self.normalise.tensors())
            object.__setattr__(self, "normalise", self.normalise.given(learned))
        object.__setattr__(self, "_versions", tuple(map(version_of, self._tensors())))

    @torch.no_grad()
    def weigh(
        self, rows: Index | None = None, heads: Index | None = None
    ) -> Float[Tensor, "*B Q K"]:
        """The weights the fused path never wrote down.

        Raises:
            ChoiceError: what they are computed from was written over.
        """
        self.require_unchanged()
        if self.weights is not None:
            return StoredWeights(self.weights).weigh(rows, heads)
        return weigh(
            self.query,
            self.key,
            score=self.score,
            mask=self.mask,
            normalise=self.normalise,
            rows=rows,
            heads=heads,
        )

    def without_graph(self) -> "Attended":
        """The same with a context that holds no graph."""
        if self.context is None or not self.context.requires_grad:
            return self
        return replace(self, context=self.context.detach())

    def require_unchanged(self) -> None:
        """Raise if what was looked at was written over since.

        Raises:
            ChoiceError: it was; copy the weights before that.
        """
        if self._versions != tuple(map(version_of, self._tensors())):
            raise ChoiceError(
                "a look keeps its tensors by reference, and they were written over since; read "
                "its weights before that"
            )

    def _tensors(self) -> tuple[Tensor | None, ...]:
        return self.query, self.key, self.value, self.context, self.weights


def held(x: Tensor) -> Tensor:
    """The tensor by reference, without its graph; a parameter, which training changes, copied."""
    base = x if x._base is None else x._base
    return x.detach().clone() if isinstance(base, nn.Parameter) else x.detach()


def version_of(x: Tensor | None) -> int | None:
    """How often a tensor was written to, where torch counts that."""
    return None if x is None or x.is_inference() else x._version


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
    """Weights that the module had in its hands anyway, (*B, Q, K), or gates of any shape.

    Args:
        weights: as they were.
        value: what was pooled, or multiplied, where it is known.
        context: what came out, where it is known.
        kind: what attended to what.
        training: whether the module was in training.
    """

    weights: Tensor = field(repr=False)
    value: Tensor | None = field(default=None, repr=False)
    context: Tensor | None = field(default=None, repr=False)
    kind: Kind = "self"
    training: bool = False

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
        self.edits: list[Edit] = []

    @property
    def observed(self) -> bool:
        """Whether anybody watches it, or has another say in what it does."""
        return bool(self.watchers or self.edits)

    def notify(self, event: AttentionEvent) -> None:
        """Pass an event on to everyone who watches."""
        for watcher in self.watchers:
            watcher(event)

    def __getstate__(self) -> dict[str, object]:
        """A copy is watched and edited by nobody, and keeps no hook of a block that watches."""
        own = self._forward_pre_hooks.items()
        hooks = OrderedDict((at, hook) for at, hook in own if not getattr(hook, "passing", False))
        return {**self.__dict__, "watchers": [], "edits": [], "_forward_pre_hooks": hooks}
