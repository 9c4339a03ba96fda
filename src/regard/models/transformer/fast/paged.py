"""Decoding whose hypotheses share their KV cache: plain attention over page tables.

The twin of :meth:`..model.Transformer.start` and :meth:`..model.Transformer.step`.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch

from regard.kernels.ragged import Heads
from regard.nn import CrossCache
from regard.types import Float, Int, Tensor

from ..padding import Trimmed, tokens
from ..positions import Joined
from .backend import DecoderBackend, DecodingBackend, PagedMemory
from .eager import EagerDecoder, eager_backend
from .flat_sentences import FlatSentences, flat, flat_padded
from .packed import packable
from .paged_cache import PagedCache
from .storage import Layers, Stored

if TYPE_CHECKING:
    from ..model import Transformer

AT_ONCE = 32
"""Positions whose vectors are computed together."""


class PositionTable:
    """The vector that joins the input at each position; remembered, for steps come one by one.

    Args:
        position: what adds them.
        like: an embedding, for width, dtype and device.
    """

    def __init__(self, position: Joined, like: Float[Tensor, " M"]) -> None:
        self._position, self._rows = position, like.new_empty(0, *like.shape)

    def at(self, positions: Int[Tensor, " R"], last: int) -> Float[Tensor, "R M"]:
        """The vectors of these positions, of which ``last`` is the highest."""
        while last >= len(self._rows):
            self._extend()
        return self._rows.index_select(0, positions)

    def _extend(self) -> None:
        start, count = len(self._rows), AT_ONCE
        end = getattr(self._position, "num_positions", None)
        if end is not None:
            count = max(1, min(count, end - start))
        nothing = self._rows.new_zeros(1, count, self._rows.shape[1])
        self._rows = torch.cat([self._rows, self._position(nothing, start)[0]])


@dataclass(frozen=True, eq=False)
class PagedState:
    """Keys and values in one row per token; every element of the batch has a list of its rows.

    Whoever goes on from a hypothesis copies its list, nothing else, and elements need not have
    come equally far. Nothing that a state knows of ever changes.
    """

    decoder: DecoderBackend
    heads: Heads
    """Of all its attentions."""
    written: PagedCache
    """The target so far."""
    memory: Stored
    """The source: a list for each sentence, and which sentence each element is of."""
    positions: PositionTable
    """Of the target."""
    source_width: int
    """Columns of the source, padding and all."""
    query: Float[Tensor, "R M"] | None = None
    """What the last step looked at the source with, in the layer that says where it looked."""

    def reorder(self, rows: Int[Tensor, " b"]) -> "PagedState":
        """The state of these elements of the batch."""
        return replace(
            self,
            written=self.written.reorder(rows),
            memory=self.memory.reorder(rows),
            query=None if self.query is None else self.query.index_select(0, rows),
        )

    def joined(self, other: "PagedState") -> "PagedState":
        """The state of both batches, the elements of ``other`` behind ours; nobody looked yet."""
        return replace(
            self,
            written=self.written.joined(other.written),
            memory=self.memory.joined(other.memory),
            source_width=max(self.source_width, other.source_width),
            query=None,
        )

    def query_and_memory(self, layer: int) -> tuple[Float[Tensor, "R 1 M"] | None, CrossCache]:
        """What the last step looked at the source with, and what it looked at."""
        query, pages, heads = self.query, self.memory.pages, self.heads
        allowed = pages.read()[pages.lists]  # (R, S)
        pairs = self.memory.layers[layer][pages.slots[pages.lists]]  # (R, S, 2HD)
        key, value = pairs.unflatten(-1, (2, heads.key, heads.width)).permute(2, 0, 3, 1, 4)
        return None if query is None else query.unsqueeze(1), CrossCache(key, value, allowed)


def start(model: "Transformer", source: Trimmed, backend: DecodingBackend | None) -> PagedState:
    """The state before the first token: the source in pages.

    Args:
        model: its attentions are plain.
        source: what it reads.
        backend: what computes the steps; torch, layer by layer, if not given.
    """
    backend = backend or eager_backend(model)
    sentences, pairs = _remembered(model, source, backend)
    cross = model.decoder[0].cross
    widths = [each.shape[1] for each in pairs]
    return PagedState(
        decoder=backend.decoder,
        heads=Heads(cross.num_heads, cross.num_key_heads, cross.head_dim),
        written=PagedCache.empty(len(source.lengths), widths, pairs[0]),
        memory=Stored.full(pairs, sentences.pages()),
        positions=PositionTable(model.target_position, model.target_embedding.weight[0]),
        source_width=source.tokens.shape[1] + source.cut,
    )


def step(
    model: "Transformer", tokens: Int[Tensor, " R"], state: PagedState
) -> tuple[Float[Tensor, "R V"], PagedState]:
    """Logits of the next token after ``tokens``, and the state behind them."""
    before = state.written
    positions = state.positions.at(before.lengths, before.longest)
    x = model.dropout(model.target_embedding(tokens) + positions)  # (R, M)
    written, first = before.grown()
    own = PagedMemory(written.room.layers, written.pages())
    memory = PagedMemory(state.memory.layers, state.memory.pages)
    logits, query = state.decoder.step(x, first, own, memory)  # (R, V), (R, M)
    return logits, replace(state, written=written, query=query)


def _remembered(
    model: "Transformer", source: Trimmed, backend: DecodingBackend
) -> tuple[FlatSentences, Layers]:
    """What the decoder looks at, without padding where that is faster."""
    if packable(model.encoder, source, like=model.target_embedding.weight):
        layout = tokens(source.lengths, source.tokens.shape[1])
        x = layout.packed(model.embed_source(source.tokens))  # (R, M)
        sentences = flat(x, source.lengths)
        return sentences, backend.encoder(sentences)
    sentences = flat_padded(model.encode(source), source.lengths)
    return sentences, EagerDecoder(model).memory(sentences.states)
