"""The decoding state of the convolutional decoder."""

from dataclasses import dataclass, replace

import torch

from regard.nn import Memory
from regard.types import Float, Int, Tensor


@dataclass(frozen=True, eq=False)
class ConvState:
    """The last inputs of every layer, and the source. Nothing in it ever changes."""

    windows: tuple[Float[Tensor, "B k C"], ...]
    """The inputs that a layer's next convolution still sees."""
    memory: Memory
    """Keys and values of the source: the same for every layer."""
    sentences: Int[Tensor, " B"]
    """Which sentence of the source each element belongs to."""
    position: int = 0
    """Where the next token stands."""
    queries: tuple[Float[Tensor, "B 1 M"], ...] = ()
    """What every layer looked at the source with, in the last step."""

    def reorder(self, rows: Int[Tensor, " b"]) -> "ConvState":
        """The state of these elements of the batch.

        Hypotheses that stay with their own sentence share its memory: nothing of it is copied.
        """
        sentences = self.sentences.index_select(0, rows)
        stays = torch.equal(sentences, self.sentences)
        return replace(
            self,
            windows=tuple(window.index_select(0, rows) for window in self.windows),
            memory=self.memory if stays else self.memory.reorder(rows),
            sentences=sentences,
            queries=tuple(query.index_select(0, rows) for query in self.queries),
        )
