"""Static vectors of words: one for each, wherever it stands."""

from typing import Literal

from torch import nn
from torch.nn.functional import embedding

from regard.types import Float, Int, Tensor

from ..config import ModelConfig, Size


class WordVectorsConfig(ModelConfig):
    """Mikolov et al. 2013 (https://arxiv.org/abs/1310.4546)."""

    kind: Literal["word-vectors"] = "word-vectors"
    vocab: Size
    """Number of words."""
    dim: Size = 100
    """Width of the vectors."""


class WordVectors(nn.Module):
    r"""Two vectors for every word: v as the word itself, u as what stands beside another.

    .. math:: s(w, c) = v_w \cdot u_c

    Mikolov et al. 2013 (https://arxiv.org/abs/1310.4546), section 2. The first are what is used.
    """

    def __init__(self, config: WordVectorsConfig) -> None:
        super().__init__()
        self.config = config
        self.words = nn.Embedding(config.vocab, config.dim)
        self.contexts = nn.Embedding(config.vocab, config.dim)
        nn.init.normal_(self.words.weight, std=config.dim**-0.5)
        nn.init.zeros_(self.contexts.weight)

    def forward(self, words: Int[Tensor, "*B"]) -> Float[Tensor, "*B D"]:
        """The vectors of words."""
        return embedding(words, self.words.weight)


def word_vectors(*, vocab: int) -> WordVectorsConfig:
    """A hundred numbers for each word."""
    return WordVectorsConfig(vocab=vocab)
