"""From tokens to vectors: by what they are, and by how they are spelled."""

from typing import NamedTuple

import torch
from torch import nn

from regard.errors import InputError
from regard.types import Float, Int, Tensor

from ..embedding import TokenEmbedding
from .config import EmbeddingConfig, SpellingConfig, TextConfig
from .dropout import WholeDropout
from .encoders import encoder
from .pooling import pooling


class Spelling(NamedTuple):
    """The characters of the words of a batch, each different word once.

    Words come in the order of their lengths, so that those of similar length are read together.
    """

    characters: Int[Tensor, "W C"]
    """Characters of every different word."""
    lengths: Int[Tensor, " W"]
    """How many each has, from few to many; the first has none, it is that of padding."""
    index: Int[Tensor, "B N"]  # type: ignore[assignment]  # tuples have a method of this name
    """Which word stands at each place of the batch."""

    def to(self, device: torch.device | str) -> "Spelling":
        """The same on another device."""
        return Spelling(*[part.to(device) for part in self])


class SpelledWords(nn.Module):
    r"""A vector for every word from its characters.

    .. math:: s_w = \text{pool}(\text{encoder}(E c_{w1}, \dots, E c_{wC}))

    Ling et al. 2015 (https://aclanthology.org/D15-1176) with an LSTM and the last states, dos
    Santos and Zadrozny 2014 (https://proceedings.mlr.press/v32/santos14.html) with a convolution
    and the maximum. Every different word of a batch is read once.

    Args:
        config: widths, encoder and pooling.
        characters: how many there are.
        pad: the one that fills up short words.
    """

    def __init__(self, config: SpellingConfig, *, characters: int, pad: int) -> None:
        super().__init__()
        self.table = TokenEmbedding(characters, config.dim, pad=pad, factor=config.dim**0.5)
        self.encoder = encoder(config.encoder, config.dim)
        self.pooling = pooling(config.pooling, self.encoder)
        self.output_dim = self.encoder.output_dim

    def forward(self, spelling: Spelling) -> Float[Tensor, "W S"]:
        """Vectors of the different words."""
        parts = [
            self._read(spelling.characters[chosen], spelling.lengths[chosen])
            for chosen in similar(spelling.lengths.tolist())
        ]
        return torch.cat(parts)  # (W, S)

    def _read(self, characters: Int[Tensor, "w C"], lengths: Int[Tensor, " w"]) -> Tensor:
        longest = max(1, int(lengths.max()))
        features = self.encoder(self.table(characters[:, :longest]), lengths)  # (w, C, M)
        return self.pooling(features, lengths).where((lengths > 0).unsqueeze(-1), 0)


class TextEmbedding(nn.Module):
    r"""Vectors of tokens, with those of their characters behind them where words are spelled.

    .. math:: x_n = [E_{w_n}; s_{w_n}]

    A vector for the kind of text that a token belongs to is added where there are such kinds
    (Devlin et al. 2019, section 3, https://arxiv.org/abs/1810.04805).

    In training some tokens are read as the unknown one, which so gets a vector of its own; their
    characters stay.
    """

    def __init__(self, config: TextConfig) -> None:
        super().__init__()
        own: EmbeddingConfig = config.embedding
        factor = own.dim**0.5 if own.factor is None else own.factor
        self.table = TokenEmbedding(config.vocab, own.dim, pad=config.pad, factor=factor)
        self.spelled = None
        self.output_dim = own.dim
        self.segments = nn.Embedding(own.segments, own.dim) if own.segments else None
        if self.segments is not None:
            nn.init.normal_(self.segments.weight, std=0.02)
        if own.spelling is not None:
            self.spelled = SpelledWords(own.spelling, characters=config.characters, pad=config.pad)
            self.output_dim += self.spelled.output_dim
        self.dropout, self.word_dropout = WholeDropout(own.dropout), own.word_dropout
        self.unknown, self.pad = config.unknown, config.pad

    def forward(
        self,
        tokens: Int[Tensor, "B N"],
        spelling: Spelling | None = None,
        segments: Int[Tensor, "B N"] | None = None,
    ) -> Float[Tensor, "B N D"]:
        """One vector per token.

        Args:
            tokens: which.
            spelling: the characters of words, where they are looked at.
            segments: the kind of text that each belongs to, where there are kinds; the first if not
                given.

        Raises:
            InputError: words without their characters, where these are looked at.
        """
        x = self.table(self._known(tokens))
        if self.segments is not None:
            x = x + self.segments(torch.zeros_like(tokens) if segments is None else segments)
        if self.spelled is not None:
            if spelling is None:
                raise InputError(
                    "this model reads the characters of words too: pass spelling beside tokens"
                )
            x = torch.cat([x, self.spelled(spelling)[spelling.index]], dim=-1)
        return self.dropout(x)

    def _known(self, tokens: Int[Tensor, "B N"]) -> Int[Tensor, "B N"]:
        """Some of them read as unknown, in training."""
        if not self.training or not self.word_dropout:
            return tokens
        dropped = torch.rand(tokens.shape, device=tokens.device) < self.word_dropout
        return tokens.masked_fill(dropped & tokens.ne(self.pad), self.unknown)


def similar(lengths: list[int]) -> list[slice]:
    """Neighbours whose lengths are within a factor of two, of lengths that grow."""
    found, start = [], 0
    for place, length in enumerate(lengths):
        if place > start and length > max(4, 2 * lengths[start]):
            found.append(slice(start, place))
            start = place
    return [*found, slice(start, len(lengths))]
