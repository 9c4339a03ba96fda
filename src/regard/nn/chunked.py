"""Long sequences in chunks, with and without a memory of what came before."""

from typing import NamedTuple

import torch
from torch import nn

from regard.errors import ChoiceError, RangeError
from regard.functional.tensors import require_padded
from regard.functional.value import require_sizes, require_whole
from regard.mechanism import mechanism
from regard.types import Float, Int, Tensor

from .multihead.attention import MultiHeadAttention


class ChunkMemory(NamedTuple):
    """The last inputs before the next chunk, without their history."""

    states: Float[Tensor, "*B m M"]
    position: int
    """Where the next input stands."""

    def reorder(self, rows: Int[Tensor, " b"]) -> "ChunkMemory":
        """The memory of these elements of the batch."""
        return ChunkMemory(self.states.index_select(0, rows), self.position)


@mechanism(
    "chunked, with carried memory",
    equation="segment t sees itself and segment t − 1",
    cost="O(N S D) for segments of S",
    paper=("Dai 2019", "https://arxiv.org/abs/1901.02860"),
)
class ChunkedAttention(nn.Module):
    r"""Self attention within chunks, each of which also sees the last inputs before it.

    .. math:: \tilde h_c = [\mathrm{SG}(h_{c-1}); h_c], \quad
              o_c = \mathrm{attention}(h_c, \tilde h_c)

    Segment-level recurrence of Dai et al. 2019, section 3.2 (https://arxiv.org/abs/1901.02860).
    Theirs → ours: segment → chunk, L → ``chunk_length``, the length of the memory →
    ``memory_length``. The memory carries no gradient. Without one, chunks know nothing of each
    other, as under ``masks.blocks(chunk_length)``. O(N (L + m) M) time; any length in the memory of
    one chunk, if it is fed chunk by chunk. After n layers a position sees about n·m + L back.

    >>> output, memory = chunked(x)           # any number of positions
    >>> output, memory = chunked(more, memory)

    Outputs depend on where chunks begin: feed multiples of ``chunk_length``, but for the last.

    Args:
        attention: what attends, under its own mask: ``"causal"`` for a language model.
        chunk_length: L.
        memory_length: m, inputs before the chunk that it sees; 0 is none.
    """

    def __init__(
        self, attention: MultiHeadAttention, *, chunk_length: int, memory_length: int = 0
    ) -> None:
        super().__init__()
        require_sizes(self, chunk_length=chunk_length)
        require_whole("ChunkedAttention", "memory_length", memory_length)
        if memory_length < 0:
            raise RangeError(
                f"ChunkedAttention needs memory_length of at least 0, got {memory_length}"
            )
        if attention.key_dim != attention.model_dim or attention.value_dim != attention.model_dim:
            raise ChoiceError("ChunkedAttention needs self attention: keys as wide as queries")
        self.attention = attention
        self.chunk_length, self.memory_length = chunk_length, memory_length

    def forward(
        self, x: Float[Tensor, "*B N M"], memory: ChunkMemory | None = None
    ) -> tuple[Float[Tensor, "*B N O"], ChunkMemory]:
        """The outputs of ``x``, and the memory for what follows it."""
        require_padded(self, x)
        memory = memory or ChunkMemory(x[..., :0, :].detach(), 0)
        outputs = []
        for chunk in x.split(self.chunk_length, dim=-2):
            output, memory = self._chunk(chunk, memory)
            outputs.append(output)
        return torch.cat(outputs, dim=-2), memory

    def _chunk(self, x: Tensor, memory: ChunkMemory) -> tuple[Tensor, ChunkMemory]:
        start, held = memory.position, memory.states.shape[-2]
        seen = torch.cat([memory.states.to(x.dtype), x], dim=-2)  # (*B, m + L, M)
        output = self.attention.attend_at(x, seen, start=start, first=start - held)
        kept = min(self.memory_length, seen.shape[-2])
        states = seen[..., seen.shape[-2] - kept :, :].detach()  # (*B, m, M)
        return output, ChunkMemory(states, start + x.shape[-2])
