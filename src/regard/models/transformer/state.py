"""The decoding state of a Transformer: KV caches and projected memory."""

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import torch
from torch.nn.functional import pad

from regard.nn import Cache, CrossCache
from regard.types import Float, Int, Tensor

from .layers import DecoderLayer


@dataclass(frozen=True, eq=False)
class TransformerState:
    """Keys and values of the target so far, and those of the source. Nothing in it ever changes."""

    caches: tuple[Cache | None, ...]
    """Of every layer's self-attention; ``None`` before the first step."""
    memories: tuple[CrossCache, ...]
    """Of every layer's cross-attention."""
    sentences: Int[Tensor, " B"]
    """Which sentence of the source each element belongs to."""
    source_width: int
    """Columns of the source, padding and all."""
    position: int = 0
    """Where the next token stands."""
    query: Float[Tensor, "B 1 M"] | None = None
    """What the last step looked at the source with, in the layer that says where it looked."""

    @staticmethod
    def before_the_first_step(
        memories: tuple[CrossCache, ...], *, source_width: int
    ) -> "TransformerState":
        """Nothing is written, and every sentence has one hypothesis."""
        key = memories[0].key
        sentences = torch.arange(len(key), device=key.device)
        return TransformerState((None,) * len(memories), memories, sentences, source_width)

    def reorder(self, rows: Int[Tensor, " b"]) -> "TransformerState":
        """The state of these elements of the batch.

        Hypotheses that stay with their own sentence share its memory: nothing of it is copied.
        """
        sentences = self.sentences.index_select(0, rows)
        memories = self.memories
        if not torch.equal(sentences, self.sentences):
            memories = tuple(memory.reorder(rows) for memory in memories)
        return replace(
            self,
            caches=tuple(cache and cache.reorder(rows) for cache in self.caches),
            memories=memories,
            sentences=sentences,
            query=None if self.query is None else self.query.index_select(0, rows),
        )

    def query_and_memory(self, layer: int) -> tuple[Float[Tensor, "B 1 M"] | None, CrossCache]:
        """What the last step looked at the source with, and what it looked at."""
        return self.query, self.memories[layer]


@runtime_checkable
class Looking(Protocol):
    """A state that knows what its last step looked at the source with."""

    @property
    def source_width(self) -> int:
        """Columns of the source, padding and all."""

    def query_and_memory(self, layer: int) -> tuple[Float[Tensor, "B 1 M"] | None, CrossCache]:
        """What the last step looked at the source with, and what it looked at."""


def last_weights(state: Looking, layer: DecoderLayer, number: int) -> Float[Tensor, "B S"] | None:
    """Where the last step looked in a layer, that of this number; ``None`` before the first."""
    query, memory = state.query_and_memory(number)
    if query is None:
        return None
    weights = layer.alignment(query, memory).squeeze(1)  # (B, s)
    return pad(weights, (0, state.source_width - weights.shape[-1]))  # (B, S)
