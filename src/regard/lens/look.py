"""One look: where a module looked, once, with its receipt."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from regard.errors import ChoiceError, UnverifiedError
from regard.functional import masks, normalisers, scores
from regard.functional.events import Attended, AttentionEvent, Kind, StoredWeights
from regard.functional.index import Index
from regard.functional.masks import Mask
from regard.functional.normalisers import Normaliser
from regard.functional.pairs import pair_mask, pair_scores
from regard.functional.scores import Score
from regard.functional.statistics import Statistics, statistics, statistics_of
from regard.functional.tensors import broadcast_shapes, spread_over
from regard.functional.weigh import TopWeights, top_weights
from regard.notebook import heat
from regard.types import Bool, Float, Tensor

from .inputs import Inputs
from .receipt import Receipt, receipt_of

if TYPE_CHECKING:
    from .cell import Cell

SHOWN = 24
"""Rows and columns of a map that a notebook shows."""

BLOCK = 2**21
"""Pairs of one block of rows."""


class Rows(NamedTuple):
    """Some rows of a look: where they start, and what is known of each of their pairs."""

    start: int
    scores: Float[Tensor, "*B r K"]
    allowed: Bool[Tensor, "*B r K"]
    weights: Float[Tensor, "*B r K"]


@dataclass(frozen=True, eq=False, repr=False)
class Look:
    """Where a module looked, once; nothing is computed before it is asked for.

    Everything is there by rows and heads, so that a map of any size need never be held.

    Args:
        event: what the module told.
        name: of the module.
        call: which call of the module inside the block this is, from 0.
        inputs: what the model was given in the pass this look belongs to, where it is known.
    """

    event: AttentionEvent = field(repr=False)
    name: str = ""
    call: int = 0
    inputs: Inputs | None = field(default=None, repr=False)

    @property
    def told(self) -> AttentionEvent:
        """What the module told, mapped to our values where it said it in words of its own."""
        return getattr(self.event, "mapped", self.event)

    @property
    def kind(self) -> Kind:
        """What attended to what: self, cross, pool or gate."""
        return getattr(self.event, "kind", "self")

    @property
    def training(self) -> bool:
        """Whether the module was in training."""
        return getattr(self.event, "training", False)

    @property
    def dropout(self) -> float:
        """The probability with which weights were dropped, if in training."""
        return getattr(self.event, "dropout", 0.0)

    @property
    def query(self) -> Float[Tensor, "*B Q D"]:
        """What looked."""
        return self._attended("query").query

    @property
    def key(self) -> Float[Tensor, "*B K D"]:
        """What was looked at, as often as there are queries' heads that share it: once."""
        return self._attended("key").key

    @property
    def value(self) -> Float[Tensor, "*B K E"] | None:
        """What was pooled, where it is known."""
        return getattr(self.told, "value", None)

    @property
    def context(self) -> Float[Tensor, "*B Q E"] | None:
        """What came out, where it is known."""
        return getattr(self.told, "context", None)

    @property
    def score(self) -> Score:
        """What paired queries and keys."""
        return scores.resolve(self._attended("score").score)

    @property
    def mask(self) -> Mask | None:
        """Who might attend to whom."""
        return masks.resolve(self._attended("mask").mask)

    @property
    def normalise(self) -> Normaliser:
        """What made weights of scores."""
        return normalisers.resolve(self._attended("normaliser").normalise)

    @property
    def known_shape(self) -> tuple[int, ...] | None:
        """:attr:`shape`, where nothing need be computed to know it."""
        told = self.told
        if isinstance(told, Attended):
            key = spread_over(told.query, told.key)
            leading = broadcast_shapes(told.query.shape[:-2], key.shape[:-2])
            return (*leading, told.query.shape[-2], key.shape[-2])
        known = told.weights.shape if isinstance(told, StoredWeights) else None
        known = getattr(told, "shape", known)
        return None if known is None else tuple(known)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Of the whole map of weights: (*B, Q, K); heads, where there are any, before Q."""
        known = self.known_shape
        return tuple(self.told.weigh().shape) if known is None else known

    @property
    def num_queries(self) -> int:
        """Q."""
        return self.shape[-2]

    @property
    def num_keys(self) -> int:
        """K."""
        return self.shape[-1]

    @property
    def num_heads(self) -> int | None:
        """H, the axis before the queries where there is a batch before it."""
        return self.shape[-3] if len(self.shape) > 3 else None

    @cached_property
    def receipt(self) -> Receipt:
        """Whether the weights are those that ran."""
        return receipt_of(self)

    @property
    def scored(self) -> bool:
        """Whether there are queries, keys and scores behind the weights."""
        return isinstance(self.told, Attended)

    @torch.no_grad()
    def scores(self, rows: Index | None = None, heads: Index | None = None) -> Tensor:
        """The scores of all pairs of these rows, scaled and biased, before mask and normaliser."""
        told = self._attended("scores")
        told.require_unchanged()
        return pair_scores(told.query, told.key, score=told.score, rows=rows, heads=heads)

    def allowed(self, rows: Index | None = None, heads: Index | None = None) -> Tensor:
        """Which pairs of these rows might attend; all of them where no mask is known."""
        *leading, queries, keys = self.shape
        mask = self.mask if self.scored else None
        some = self.query if self.scored else self.told.weigh()
        return pair_mask(
            mask, tuple(leading), queries, keys, rows=rows, heads=heads, device=some.device
        )

    @torch.no_grad()
    def weigh(
        self, rows: Index | None = None, heads: Index | None = None, *, force: bool = False
    ) -> Tensor:
        """The weights of these rows and heads.

        Args:
            rows: which queries, as in :func:`regard.weigh`.
            heads: which heads.
            force: whether to show what is not verified, too.

        Raises:
            UnverifiedError: they are not those that ran.
        """
        self._require(force)
        return self.told.weigh(rows, heads)

    @torch.no_grad()
    def top(
        self,
        count: int,
        rows: Index | None = None,
        heads: Index | None = None,
        *,
        force: bool = False,
    ) -> TopWeights:
        """The largest weights of each of these rows, and the keys they belong to."""
        self._require(force)
        told = self.told
        if not isinstance(told, Attended) or told.weights is not None:
            return TopWeights(*told.weigh(rows, heads).topk(count, dim=-1))
        told.require_unchanged()
        choices: Any = {"score": told.score, "mask": told.mask, "normalise": told.normalise}
        return top_weights(told.query, told.key, count, rows=rows, heads=heads, **choices)

    @torch.no_grad()
    def statistics(self, *, force: bool = False) -> Statistics:
        """Entropy, maximum, effective keys and distance of every row, and the mass of every key."""
        self._require(force)
        told = self.told
        if not isinstance(told, Attended) or told.weights is not None:
            return statistics_of(told.weigh())
        told.require_unchanged()
        choices: Any = {"score": told.score, "mask": told.mask, "normalise": told.normalise}
        return statistics(told.query, told.key, **choices)

    def explain(
        self, query: int, key: int, *, head: int = 0, batch: int = 0, force: bool = False
    ) -> "Cell":
        """Every number of one cell of the map."""
        from .cell import cell_of

        self._require(force)
        return cell_of(self, query, key, head=head, batch=batch)

    def blocks(
        self, heads: Index | None = None, *, size: int | None = None, force: bool = False
    ) -> Iterator[Rows]:
        """All rows, some at a time, with scores, permissions and weights of their pairs.

        Args:
            heads: which heads.
            size: rows of a block; as many as two million pairs have if not given.
            force: as in :meth:`weigh`.
        """
        self._require(force)
        size = size or max(1, BLOCK // max(1, prod(self.shape[:-2]) * self.num_keys))
        for start in range(0, self.num_queries, size):
            rows = slice(start, start + size)
            found = self.scores(rows, heads), self.allowed(rows, heads), self.weigh(rows, heads)
            yield Rows(start, *found)

    def gradient(
        self, target: Float[Tensor, ""], *, retain_graph: bool = True
    ) -> Float[Tensor, "*B Q E"]:
        """∂ target / ∂ context, of a capture with ``graph=True``.

        With the values it tells the gradient of every weight: ∂y/∂α_ij = ⟨∂y/∂c_i, v_j⟩.
        """
        from .gradients import gradients_of

        return gradients_of([self], target, retain_graph=retain_graph)[0]

    def labels(self, batch: int = 0) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """A text for every query and for every key: tokens once they are read, or numbers."""
        from .tokens import labels

        return labels(self, batch)

    def _attended(self, what: str) -> Attended:
        if isinstance(self.told, Attended):
            return self.told
        raise ChoiceError(
            f"{self.name!r} told its weights alone, so there is no {what} of it; only what "
            "scores queries against keys has one"
        )

    def _require(self, force: bool) -> None:
        if not force and self.receipt.verdict == "unverified":
            raise UnverifiedError(
                f"call {self.call} of {self.name!r} is unverified: {self.receipt.why}; force=True "
                "shows its weights all the same"
            )

    def _repr_html_(self) -> str:
        queries, keys = self.labels()
        corner = self.weigh(rows=slice(0, SHOWN), force=True)
        corner = corner.reshape(-1, *corner.shape[-2:])[0, :, :SHOWN].double()
        title = f"{self!r}, {self.receipt}: the first map, weights in %"
        return heat(corner.tolist(), queries=queries[: len(corner)], keys=keys[:SHOWN], title=title)

    def __repr__(self) -> str:
        return f"Look({self.name!r}, call {self.call}, {self.kind}, {self.shape})"
