"""The weights of one module over a batch, with what stands at each position: what is examined."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import torch

from regard.errors import ShapeError
from regard.types import Bool, Float, Int, Tensor

Kind = Literal["self", "cross", "pool", "gate"]
"""Whether a module looks at its own sequence, at another one, at one from a single query, or
scales what passes."""


@dataclass(frozen=True, eq=False)
class Tokens:
    """One side of a batch: what stands where.

    Args:
        ids: numbers of the tokens.
        lengths: of the sequences; as long as the rows if not given.
        texts: the tokens as people read them, a list for every sequence.
        classes: positions of a kind, by its name: ``"first"``, ``"end"``, ``"punctuation"``.
        tags: the number of the tag of each token, −1 for none.
        relations: for each relation the position that every token is bound to, −1 for none.
        rarity: how rare each token is in a corpus, e.g. −ln of its share.
        grid: rows and columns of patches, where a sequence is a picture.
        there: positions that are no padding, where that does not stand behind the sequences alone,
            as for a model that writes.
    """

    ids: Int[Tensor, "B N"]
    lengths: Int[Tensor, " B"] | None = None
    texts: tuple[tuple[str, ...], ...] | None = field(default=None, repr=False)
    classes: Mapping[str, Bool[Tensor, "B N"]] = field(default_factory=dict, repr=False)
    tags: Int[Tensor, "B N"] | None = field(default=None, repr=False)
    relations: Mapping[str, Int[Tensor, "B N"]] = field(default_factory=dict, repr=False)
    rarity: Float[Tensor, "B N"] | None = field(default=None, repr=False)
    grid: tuple[int, int] | None = None
    there: Bool[Tensor, "B N"] | None = field(default=None, repr=False)

    @cached_property
    def real(self) -> Bool[Tensor, "B N"]:
        """Positions that are no padding."""
        if self.there is not None:
            return self.there
        if self.lengths is None:
            return torch.ones_like(self.ids, dtype=torch.bool)
        places = torch.arange(self.ids.shape[1], device=self.ids.device)
        return places < self.lengths.unsqueeze(-1)

    @cached_property
    def sizes(self) -> Int[Tensor, " B"]:
        """Positions of every sequence that are no padding."""
        return self.real.sum(dim=-1)

    @cached_property
    def ends(self) -> tuple[Int[Tensor, " B"], Int[Tensor, " B"]]:
        """The first and the last position of every sequence."""
        places = torch.arange(self.ids.shape[1], device=self.ids.device)
        first = places.where(self.real, self.ids.shape[1]).amin(dim=-1)
        return first, places.where(self.real, 0).amax(dim=-1)

    def first(self, count: int) -> "Tokens":
        """The same up to a position."""
        return replace(
            self,
            ids=self.ids[:, :count],
            lengths=None if self.lengths is None else self.lengths.clamp(max=count),
            texts=None if self.texts is None else tuple(row[:count] for row in self.texts),
            classes={name: which[:, :count] for name, which in self.classes.items()},
            tags=None if self.tags is None else self.tags[:, :count],
            relations={name: where[:, :count] for name, where in self.relations.items()},
            rarity=None if self.rarity is None else self.rarity[:, :count],
            there=None if self.there is None else self.there[:, :count],
        )


def plain_tokens(batch: int, count: int) -> Tokens:
    """Positions of which nothing is known: every token is another."""
    return Tokens(torch.arange(count).expand(batch, count))


@dataclass(frozen=True, eq=False)
class Maps:
    """One module's weights over a batch.

    Args:
        weights: (B, H, Q, K).
        query: what looks.
        key: what is looked at.
        allowed: which keys each query may see; all keys that are no padding if not given.
        name: of the module.
        kind: how query and key belong together.
        scores: before softmax.
        value_sizes: how long the value of each key is, in each head, above the output projection.
        key_sizes: how long each key is.
        gold: links (query, key) that people or a grammar drew.
    """

    weights: Float[Tensor, "B H Q K"]
    query: Tokens
    key: Tokens
    allowed: Bool[Tensor, "*#B Q K"] | None = None
    name: str = ""
    kind: Kind = "self"
    scores: Float[Tensor, "B H Q K"] | None = field(default=None, repr=False)
    value_sizes: Float[Tensor, "B H K"] | None = field(default=None, repr=False)
    key_sizes: Float[Tensor, "B H K"] | None = field(default=None, repr=False)
    gold: Bool[Tensor, "B Q K"] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        batch, _, queries, keys = self.weights.shape
        for what, side, count in (("query", self.query, queries), ("key", self.key, keys)):
            if side.ids.shape != (batch, count):
                raise ShapeError(
                    f"weights {tuple(self.weights.shape)} need {what} tokens ({batch}, {count}), "
                    f"got {tuple(side.ids.shape)}"
                )

    @cached_property
    def seen(self) -> Bool[Tensor, "B H Q K"]:
        """Pairs of which the query is no padding and may see the key."""
        shape = self.weights.shape
        real = self.query.real[:, None, :, None] & self.key.real[:, None, None, :]
        allowed = real if self.allowed is None else real & _heads(self.allowed, self.weights)
        return allowed.expand(shape)

    @cached_property
    def rows(self) -> Bool[Tensor, "B H Q"]:
        """Queries that may see something."""
        return self.seen.any(dim=-1)

    @cached_property
    def uniform(self) -> Float[Tensor, "B H Q K"]:
        """The weights of a head that knows nothing but its mask: what chance looks like."""
        seen = self.seen.to(self.weights.dtype)
        return seen / seen.sum(dim=-1, keepdim=True).clamp(min=1)

    @cached_property
    def best(self) -> Int[Tensor, "B H Q"]:
        """The key of the largest weight among those that are seen."""
        return self.weights.masked_fill(~self.seen, -1).argmax(dim=-1)

    @cached_property
    def offsets(self) -> Int[Tensor, "Q K"]:
        """Key position less query position."""
        queries, keys = self.weights.shape[-2:]
        device = self.weights.device
        return torch.arange(keys, device=device) - torch.arange(queries, device=device)[:, None]

    @cached_property
    def causal(self) -> bool:
        """Whether nobody may look ahead."""
        return self.kind == "self" and not bool((self.seen & (self.offsets > 0)).any())

    def by_chance(self) -> "Maps":
        """The same batch, seen by heads that look at all keys alike."""
        return replace(self, weights=self.uniform)


def _heads(allowed: Tensor, weights: Tensor) -> Tensor:
    """Booleans with an axis of heads, whether they came with one or without."""
    if allowed.dim() == 3:
        return allowed.unsqueeze(1)
    return allowed if allowed.dim() == 4 else allowed.expand(1, 1, *weights.shape[-2:])
