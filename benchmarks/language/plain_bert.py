"""A model of hidden tokens as one would write it down, of torch's own layers."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy


class PlainBert(nn.Module):
    """Learned positions, ``nn.TransformerEncoder`` with norms first, tied embeddings."""

    def __init__(
        self, vocab: int, *, longest: int, width: int, hidden: int, layers: int, heads: int
    ) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocab, width), nn.Embedding(longest, width)
        layer = nn.TransformerEncoderLayer(
            width, heads, hidden, dropout=0.05, activation="gelu", batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, layers, nn.LayerNorm(width), False)
        self.output = nn.Linear(width, vocab)
        self.output.weight = self.tokens.weight
        nn.init.normal_(self.tokens.weight, std=0.02)
        nn.init.normal_(self.places.weight, std=0.02)

    def forward(self, tokens: Tensor, lengths: Tensor, places: Tensor) -> Tensor:
        """Logits at the hidden places."""
        x = self.tokens(tokens) + self.places.weight[: tokens.shape[1]]
        padding = torch.arange(tokens.shape[1]) >= lengths[:, None]
        found = self.encoder(x, src_key_padding_mask=padding)
        logits: Tensor = self.output(found[places])
        return logits

    def surprise(self, batch: Any) -> Tensor:
        """The sum of the negative log-likelihoods of hidden tokens."""
        logits = self(batch.tokens, batch.lengths, batch.places)
        return cross_entropy(logits, batch.targets, reduction="sum")
