"""What a user writes with torch alone: ``nn.Transformer``, or the GRU of the tutorials."""

import math
import sys

import torch
from torch import Tensor, nn

from .loop import train
from .protocol import job, opened
from .sizes import DROPOUT, HEADS, INNER, LAYERS, PAD, WIDTH
from .text import Padded

LONGEST = 1024
"""Positions there are."""


class PlainTransformer(nn.Module):
    """``nn.Transformer`` as it is, between one shared embedding and its transpose."""

    positions: Tensor

    def __init__(self, vocab: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab, WIDTH, padding_idx=PAD)
        self.register_buffer("positions", sinusoids(), persistent=False)
        self.dropout = nn.Dropout(DROPOUT)
        self.body = nn.Transformer(WIDTH, HEADS, LAYERS, LAYERS, INNER, DROPOUT, batch_first=True)
        for module in self.modules():
            if isinstance(module, nn.MultiheadAttention):
                module.dropout = 0.0  # so that the fused kernel may run
        self.output = nn.Linear(WIDTH, vocab)
        self.output.weight = self.embedding.weight

    def forward(self, batch: Padded) -> Tensor:
        """Logits."""
        width = batch.target_in.shape[1]
        blocked = batch.source.eq(PAD)
        hidden = self.body(
            self.embedded(batch.source),
            self.embedded(batch.target_in),
            tgt_mask=nn.Transformer.generate_square_subsequent_mask(width),
            src_key_padding_mask=blocked,
            memory_key_padding_mask=blocked,
            tgt_is_causal=True,
        )
        return self.output(hidden)

    def embedded(self, tokens: Tensor) -> Tensor:
        """Tokens where they stand."""
        at = self.positions[: tokens.shape[1]]
        return self.dropout(self.embedding(tokens) * math.sqrt(WIDTH) + at)


def sinusoids() -> Tensor:
    """The positions of Vaswani et al. 2017."""
    rates = torch.exp(torch.arange(0, WIDTH, 2) * (-math.log(10000.0) / WIDTH))
    angles = torch.arange(LONGEST).unsqueeze(1) * rates
    return torch.stack((angles.sin(), angles.cos()), dim=2).flatten(1)


class TutorialGRU(nn.Module):
    """A bidirectional GRU, then one GRU step after the other with Bahdanau's attention.

    As in the tutorials: the attention is three linear maps and a tanh, the keys' map is applied
    once, and the logits of all steps come from one matrix product.
    """

    def __init__(self, vocab: int) -> None:
        super().__init__()
        self.source_embedding = nn.Embedding(vocab, WIDTH, padding_idx=PAD)
        self.target_embedding = nn.Embedding(vocab, WIDTH, padding_idx=PAD)
        self.encoder = nn.GRU(WIDTH, WIDTH, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * WIDTH, WIDTH)
        self.query_proj = nn.Linear(WIDTH, WIDTH)
        self.key_proj = nn.Linear(2 * WIDTH, WIDTH)
        self.energy = nn.Linear(WIDTH, 1)
        self.cell = nn.GRU(3 * WIDTH, WIDTH, batch_first=True)
        self.readout = nn.Linear(4 * WIDTH, WIDTH)
        self.dropout = nn.Dropout(DROPOUT)
        self.output = nn.Linear(WIDTH, vocab)

    def forward(self, batch: Padded) -> Tensor:
        """Logits."""
        embedded = self.dropout(self.source_embedding(batch.source))
        lengths = batch.source.ne(PAD).sum(dim=1)
        packed = nn.utils.rnn.pack_padded_sequence(
            embedded, lengths, batch_first=True, enforce_sorted=False
        )
        encoded, last = self.encoder(packed)
        memory, _ = nn.utils.rnn.pad_packed_sequence(
            encoded, batch_first=True, total_length=batch.source.shape[1]
        )
        keys = self.key_proj(memory)
        blocked = batch.source.eq(PAD)
        hidden = torch.tanh(self.bridge(torch.cat((last[0], last[1]), dim=1)))
        features = []
        words = self.dropout(self.target_embedding(batch.target_in))
        for word in words.unbind(dim=1):
            energies = self.energy(torch.tanh(self.query_proj(hidden).unsqueeze(1) + keys))
            weights = energies.squeeze(2).masked_fill(blocked, -math.inf).softmax(dim=1)
            context = torch.bmm(weights.unsqueeze(1), memory).squeeze(1)
            step = torch.cat((word, context), dim=1).unsqueeze(1)
            _, state = self.cell(step, hidden.unsqueeze(0))
            hidden = state.squeeze(0)
            features.append(torch.cat((hidden, context, word), dim=1))
        read = torch.tanh(self.readout(torch.stack(features, dim=1)))
        return self.output(self.dropout(read))


def make(architecture: str, vocab: int) -> nn.Module:
    """The model of this name."""
    return PlainTransformer(vocab) if architecture == "transformer" else TutorialGRU(vocab)


if __name__ == "__main__":
    train(job(sys.argv[1:]), opened(), make)
