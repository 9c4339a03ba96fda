"""The state of a decoder whose attentions are plain: hypotheses share all that they can."""

from dataclasses import dataclass, replace

from regard.functional.normalisers import softmax
from regard.functional.scores import ScaledDot
from regard.kernels.ragged import Heads
from regard.nn import CrossCache
from regard.types import Float, Int, Tensor

from .above import Above
from .config import TransformerConfig
from .halves import DecoderHalf, Looked
from .layers import DecoderLayer
from .places import Places
from .positions import Joined, attended
from .storage import Stored
from .written import Written


@dataclass(frozen=True, eq=False)
class PagedState:
    """Keys and values in one row per token; every element of the batch has a list of its rows.

    Whoever goes on from a hypothesis copies its list, nothing else, and elements need not have
    come equally far. Nothing that a state knows of ever changes.
    """

    decoder: DecoderHalf
    heads: Heads
    """Of all its attentions."""
    written: Written
    """The target so far."""
    memory: Stored
    """The source: a list for each sentence, and which sentence each element is of."""
    places: Places
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

    def placed(self, vectors: Float[Tensor, "R M"], position: Joined) -> Float[Tensor, "R M"]:
        """Embeddings of the next token that know where it stands."""
        return vectors + self.places.at(self.written.lengths, self.written.longest)

    def through(
        self, layers: list[DecoderLayer], above: Above, x: Float[Tensor, "R M"], asking: int
    ) -> tuple[Float[Tensor, "R V"], "PagedState"]:
        """What is said of the next position, and the state behind it.

        Args:
            layers: the decoder's, laid out in this state.
            above: what follows them, laid out too.
            x: embeddings of the position; they may be written over.
            asking: the layer whose query is kept, known already.
        """
        written, first = self.written.grown()
        own, memory = (
            Looked(written.room.layers, written.pages()),
            Looked(self.memory.layers, self.memory.pages),
        )
        logits, query = self.decoder.step(x, first, own, memory)
        return logits, replace(self, written=written, query=query)

    def asked(self, layer: int) -> tuple[Float[Tensor, "R 1 M"] | None, CrossCache]:
        """What the last step looked with, and at what."""
        query, pages, heads = self.query, self.memory.pages, self.heads
        allowed = pages.read()[pages.lists]
        pairs = self.memory.layers[layer][pages.slots[pages.lists]]  # (R, S, 2HD)
        key, value = pairs.unflatten(-1, (2, heads.key, heads.width)).permute(2, 0, 3, 1, 4)
        return None if query is None else query.unsqueeze(1), CrossCache(key, value, allowed)


def plain(config: TransformerConfig) -> bool:
    """Whether a config's attentions are plain: all that a key says is in its own vector.

    Softmax of scaled dot products, and positions that only the input knows of.
    """
    return (
        config.score in ("scaled_dot", ScaledDot())
        and config.normalise in ("softmax", softmax)
        and attended(config, causal=True) is None
    )
