"""From tokens to vectors."""

from torch import nn

from regard.errors import RangeError
from regard.types import Float, Int, Tensor

from .config import Seq2SeqConfig
from .dropout import Dropout


class TokenEmbedding(nn.Embedding):
    r"""A learned vector for every token, drawn from :math:`N(0, s^2)`; that of ``pad`` is zero.

    Args:
        vocab: number of tokens.
        width: D.
        pad: the token whose vector is zero and learns nothing here.
        dropout: probability with which a feature is dropped in training.
        deviation: s; if not given 1/√D, small enough that the matrix may be the output layer's too.
    """

    def __init__(
        self,
        vocab: int,
        width: int,
        *,
        pad: int,
        dropout: float = 0.0,
        deviation: float | None = None,
    ) -> None:
        self.deviation = width**-0.5 if deviation is None else deviation
        super().__init__(vocab, width, padding_idx=pad)
        self.dropout = Dropout(dropout)

    def reset_parameters(self) -> None:
        """Vectors as they are at first."""
        nn.init.normal_(self.weight, std=self.deviation)
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


def embeddings(config: Seq2SeqConfig, width: int) -> tuple[TokenEmbedding, TokenEmbedding]:
    """The source's embedding and the target's: one and the same if they are shared.

    Recurrent networks read them as they are, and learn from long vectors in fewer steps.
    """
    deviation = None if config.tied else 1.0
    source, target = (
        TokenEmbedding(vocab, width, pad=config.pad, dropout=config.dropout, deviation=deviation)
        for vocab in (config.source_vocab, config.target_vocab)
    )
    return (target, target) if config.shared else (source, target)
