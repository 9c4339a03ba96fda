"""Interventions: one attention before it is computed, and the edits that may change it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, runtime_checkable

from regard.types import Float, Tensor

from .attend import unheard
from .events import Attended, Kind
from .index import Index
from .masks import Mask
from .normalisers import Normaliser
from .scores import ScoreLike
from .weigh import weigh


@dataclass(frozen=True, eq=False)
class Asked:
    """Everything an attention is computed from, with the gradients behind it.

    Args:
        query: what looks, (*B, Q, Dq).
        key: what is looked at.
        value: what is pooled.
        score: as in :func:`regard.attend`.
        mask: as in :func:`regard.attend`.
        normalise: as in :func:`regard.attend`.
        dropout: probability with which each weight is dropped in this call.
        kind: what attends to what.
        training: whether the module is in training.
    """

    query: Tensor
    key: Tensor
    value: Tensor
    score: ScoreLike = "scaled_dot"
    mask: Mask | Tensor | str | None = None
    normalise: Normaliser | str = "softmax"
    dropout: float = 0.0
    kind: Kind = "self"
    training: bool = False

    def attend(self) -> Float[Tensor, "*B Q E"]:
        """The context."""
        return unheard(
            self.query,
            self.key,
            self.value,
            self.score,
            self.mask,
            self.normalise,
            self.dropout,
        )

    def weigh(
        self, rows: Index | None = None, heads: Index | None = None
    ) -> Float[Tensor, "*B Q K"]:
        """The weights, with their gradient."""
        return weigh(
            self.query,
            self.key,
            score=self.score,
            mask=self.mask,
            normalise=self.normalise,
            rows=rows,
            heads=heads,
        )

    def told(
        self,
        context: Tensor | None,
        weights: Tensor | None = None,
        pooled: Tensor | None = None,
    ) -> Attended:
        """What happened, for whoever watches."""
        return Attended(
            self.query,
            self.key,
            self.score,
            self.mask,
            self.normalise,
            value=self.value,
            context=context,
            kind=self.kind,
            training=self.training,
            dropout=self.dropout,
            weights=weights,
            pooled=pooled,
        )

    def by(self, **choices: object) -> "Asked":
        """The same with other choices."""
        return replace(self, **choices)  # type: ignore[arg-type]


@runtime_checkable
class Edit(Protocol):
    """Another say in an attention."""

    def context(
        self, asked: Asked, run: Callable[[], Float[Tensor, "*B Q E"]]
    ) -> Float[Tensor, "*B Q E"]:
        """The context in place of that of ``run()``."""

    def weights(self, asked: Asked, weights: Float[Tensor, "*B Q K"]) -> Float[Tensor, "*B Q K"]:
        """The weights in place of these, for modules that pool by themselves."""

    def replaced(self, asked: Asked, context: Float[Tensor, "*B Q E"]) -> Float[Tensor, "*B Q E"]:
        """The context in place of this, for modules that pooled edited weights."""


def edited(
    edits: Sequence[Edit], asked: Asked, run: Callable[[], Tensor]
) -> Float[Tensor, "*B Q E"]:
    """The context after all edits, the last of them last."""
    for edit in edits:
        run = partial(edit.context, asked, run)
    return run()
