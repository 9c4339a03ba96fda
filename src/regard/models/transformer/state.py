"""What a Transformer's decoder carries from step to step."""

from dataclasses import dataclass, replace

import torch

from regard.nn import Cache, CrossCache
from regard.types import Float, Int, Tensor

from .above import Above
from .layers import DecoderLayer
from .positions import Joined


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

    def placed(self, vectors: Float[Tensor, "B M"], position: Joined) -> Float[Tensor, "B M"]:
        """Embeddings of the next token that know where it stands."""
        return position(vectors.unsqueeze(1), self.position).squeeze(1)

    def through(
        self, layers: list[DecoderLayer], above: Above, x: Float[Tensor, "B M"], asking: int
    ) -> tuple[Float[Tensor, "B V"], "TransformerState"]:
        """What is said of the next position, and the state behind it.

        Args:
            layers: the decoder's.
            above: what follows them.
            x: embeddings of the position.
            asking: the layer whose query is kept.
        """
        caches, kept, states = list[Cache](), None, x.unsqueeze(1)
        for number, layer in enumerate(layers):
            states, query, grown = layer.step(states, self.caches[number], self.memories[number])
            caches.append(grown)
            kept = query if number == asking else kept
        after = replace(self, caches=tuple(caches), position=self.position + 1, query=kept)
        return above.logits(states.squeeze(1)), after

    def asked(self, layer: int) -> tuple[Float[Tensor, "B 1 M"] | None, CrossCache]:
        """What the last step looked with, and at what."""
        return self.query, self.memories[layer]
