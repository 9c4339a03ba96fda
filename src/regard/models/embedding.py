"""From tokens to vectors."""

from torch import nn

from regard.errors import RangeError
from regard.types import Float, Int, Tensor

from .config import Seq2SeqConfig
from .dropout import Dropout


class TokenEmbedding(nn.Embedding):
    r"""A learned vector for every token, drawn from :math:`N(0, s^2/D)`; that of ``pad`` is zero.

    Args:
        vocab: number of tokens.
        width: D.
        pad: the token whose vector is zero and learns nothing here.
        dropout: probability with which a feature is dropped in training.
        length: s, about how long vectors are at first; 1 is small enough that the matrix may be the
            output layer's too.
    """

    def __init__(
        self, vocab: int, width: int, *, pad: int, dropout: float = 0.0, length: float = 1.0
    ) -> None:
        self.length = length
        super().__init__(vocab, width, padding_idx=pad)
        self.dropout = Dropout(dropout)

    def reset_parameters(self) -> None:
        """Vectors of the length asked for, on average."""
        nn.init.normal_(self.weight, std=self.length * self.embedding_dim**-0.5)
        self._fill_padding_idx_with_zero()

    def forward(self, tokens: Int[Tensor, "*B"]) -> Float[Tensor, "*B D"]:
        """One vector per token.

        Raises:
            RangeError: a token that the vocabulary does not have.
        """
        try:
            vectors = super().forward(tokens)
        except IndexError:
            low, high = int(tokens.min()), int(tokens.max())
            raise RangeError(
                f"this model needs tokens from 0 to {self.num_embeddings - 1}, got "
                f"{low if low < 0 else high}; build it with the vocabulary the text is encoded with"
            ) from None
        return self.dropout(vectors)


UNTIED_LENGTH = 2.0
"""Of vectors that recurrent networks read as they are: shorter ones are learned more slowly."""


def embeddings(config: Seq2SeqConfig, width: int) -> tuple[TokenEmbedding, TokenEmbedding]:
    """The source's embedding and the target's: one and the same if they are shared."""
    length = 1.0 if config.tied else UNTIED_LENGTH
    source, target = (
        TokenEmbedding(vocab, width, pad=config.pad, dropout=config.dropout, length=length)
        for vocab in (config.source_vocab, config.target_vocab)
    )
    return (target, target) if config.shared else (source, target)
