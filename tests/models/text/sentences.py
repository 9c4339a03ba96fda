"""Small encoders of every kind, and a batch for them."""

import torch

from regard.models.text import (
    ConvEncoderConfig,
    EmbeddingConfig,
    PoolingConfig,
    RecurrentEncoderConfig,
    Spelling,
    SpellingConfig,
    TransformerEncoderConfig,
)

VOCAB, CHARACTERS, LABELS = 17, 13, 3
LENGTHS = torch.tensor([7, 4, 1])

ENCODERS = {
    **{
        cell: RecurrentEncoderConfig(cell=cell, hidden_dim=6, num_layers=2)
        for cell in ("rnn", "lstm", "gru", "mut1", "mut2", "mut3", "lstmn")
    },
    "lstm to the right": RecurrentEncoderConfig(hidden_dim=5, directions="right"),
    "transformer": TransformerEncoderConfig(model_dim=8, num_heads=2, num_layers=2, hidden_dim=11),
    "transformer, post-norm, rotary, sparse": TransformerEncoderConfig(
        model_dim=8,
        num_heads=2,
        num_layers=1,
        hidden_dim=11,
        norm="post",
        position="rotary",
        score="additive",
        normalise="sparsemax",
    ),
    "conv": ConvEncoderConfig(hidden_dim=7, num_layers=2),
}
SPELLINGS = {
    "recurrent": SpellingConfig(
        dim=5, encoder=RecurrentEncoderConfig(cell="gru", hidden_dim=6, num_layers=1)
    ),
    "conv": SpellingConfig(
        dim=5,
        encoder=ConvEncoderConfig(hidden_dim=7, num_layers=1),
        pooling=PoolingConfig(kind="max"),
    ),
}


def embedding(spelling=None, **changes):
    chosen = None if spelling is None else SPELLINGS[spelling]
    return EmbeddingConfig(dim=5, spelling=chosen, **changes)


def tokens():
    """Three sentences; what stands beyond their ends is padding."""
    drawn = torch.randint(4, VOCAB, (3, 7), generator=torch.Generator().manual_seed(1))
    return drawn.where(torch.arange(7) < LENGTHS[:, None], 0)


def spelling():
    """Six different words, the first of them without a character."""
    generator = torch.Generator().manual_seed(2)
    lengths = torch.tensor([0, 1, 2, 5, 9, 9])
    characters = torch.randint(4, CHARACTERS, (6, 9), generator=generator)
    characters = characters.where(torch.arange(9) < lengths[:, None], 0)
    index = torch.randint(1, 6, (3, 7), generator=generator)
    return Spelling(characters, lengths, index.where(torch.arange(7) < LENGTHS[:, None], 0))
