"""Steps of a decoder whose attentions are plain: everything shared that can be."""

from dataclasses import dataclass, replace

import torch

from regard.functional.normalisers import softmax
from regard.functional.scores import ScaledDot
from regard.nn import CrossCache
from regard.types import Bool, Float, Int, Tensor

from .branches import Branches
from .config import TransformerConfig
from .layers import DecoderLayer
from .places import Places
from .plain_layer import PlainLayer, Way
from .pool import Pool
from .positions import Joined, attended


@dataclass(frozen=True, eq=False)
class PooledState:
    """Keys and values of the target so far, and those of the source, once for each sentence.

    Hypotheses of a sentence look at one pool of entries, each at those on its own way: to reorder
    them moves no entry. Nothing in it ever changes. It has no gradient.
    """

    layers: tuple[PlainLayer, ...]
    """The decoder's."""
    pools: tuple[Pool, ...]
    """Of every layer's self-attention."""
    memories: tuple[CrossCache, ...]
    """Of every layer's cross-attention."""
    source_bars: Float[Tensor, "B 1 1 S"] | None
    """-∞ behind the tokens of each source; ``None``: no padding."""
    branches: Branches
    places: Places
    """Of the target."""
    source_width: int
    """Columns of the source, padding and all."""
    position: int = 0
    """Where the next token stands."""
    query: Float[Tensor, "R M"] | None = None
    """What the last step looked at the source with, in the layer that says where it looked."""

    def reorder(self, rows: Int[Tensor, " b"]) -> "PooledState":
        """The state of these elements of the batch."""
        branches, sentences = self.branches.picked(rows)
        pools, memories, bars = self.pools, self.memories, self.source_bars
        if sentences is not None:
            pools = tuple(pool.of(sentences) for pool in pools)
            memories = tuple(memory.reorder(sentences) for memory in memories)
            bars = None if bars is None else bars.index_select(0, sentences)
        query = None if self.query is None else self.query.index_select(0, rows)
        return replace(
            self,
            pools=pools,
            memories=memories,
            source_bars=bars,
            branches=branches,
            query=query,
        )

    def placed(self, vectors: Float[Tensor, "R M"], position: Joined) -> Float[Tensor, "R M"]:
        """Embeddings of the next token that know where it stands."""
        return vectors + self.places[self.position]

    def asked(self, layer: int) -> tuple[Float[Tensor, "B k M"] | None, CrossCache]:
        """What the last step looked with, and at what."""
        query, memory = self.query, self.memories[layer]
        return None if query is None else query.unflatten(0, (-1, self.branches.each)), memory

    def through(
        self, layers: list[DecoderLayer], x: Float[Tensor, "R M"], asking: int
    ) -> tuple[Float[Tensor, "R M"], "PooledState"]:
        """The states above the next position, and the state behind it.

        Args:
            layers: the decoder's, which this state has laid out for itself.
            x: embeddings of the position.
            asking: the layer whose query is kept.
        """
        branches = self.branches.grown(x.device)
        own = None if branches.seen is None else barred(branches.seen.unsqueeze(1), x.dtype)
        way, pools, kept = Way(branches.each, own, self.source_bars), list[Pool](), None
        for number, layer in enumerate(self.layers):
            x, query, pool = layer.step(x, self.pools[number], self.memories[number], way)
            pools.append(pool)
            kept = query if number == asking else kept
        after = replace(
            self, pools=tuple(pools), branches=branches, position=self.position + 1, query=kept
        )
        return x, after


def plain(config: TransformerConfig) -> bool:
    """Whether a config's attentions are plain: all that a key says is in its own vector.

    Softmax of scaled dot products, as many heads of keys as of queries, and positions that only
    the input knows of.
    """
    return (
        config.score in ("scaled_dot", ScaledDot())
        and config.normalise in ("softmax", softmax)
        and config.num_key_heads in (None, config.num_heads)
        and attended(config, causal=True) is None
    )


def shared(memory: CrossCache) -> CrossCache:
    """A memory as steps read it fastest: whole rows."""
    return memory._replace(key=memory.key.contiguous(), value=memory.value.contiguous())


def barred(allowed: Bool[Tensor, "*B K"], dtype: torch.dtype) -> Float[Tensor, "*B K"]:
    """0 where keys may be looked at and -∞ elsewhere, which is what kernels add."""
    return torch.zeros(allowed.shape, dtype=dtype, device=allowed.device).masked_fill_(
        ~allowed, -torch.inf
    )


def source_bars(lengths: Int[Tensor, " B"], like: Float[Tensor, "B H S D"]) -> Tensor | None:
    """What bars padding of the source, (B, 1, 1, S); ``None`` if there is none."""
    if bool((lengths >= like.shape[2]).all()):
        return None
    columns = torch.arange(like.shape[2], device=lengths.device)
    return barred((columns < lengths.unsqueeze(-1))[:, None, None], like.dtype)
