"""Token embeddings: from token numbers to vectors."""

from torch import nn

from regard.errors import RangeError
from regard.types import Float, Int, Tensor

from .config import Seq2SeqConfig
from .dropout import Dropout


class TokenEmbedding(nn.Embedding):
    r"""A learned vector for every token, begun from :math:`N(0, 1/D)`; that of ``pad`` is zero.

    Args:
        vocab: number of tokens.
        width: D.
        pad: the token whose vector is zero and learns nothing here; ``None`` where there is none.
        dropout: probability with which a feature is dropped in training.
        factor: what vectors are multiplied with when they are read. The matrix itself stays small
            enough to be the output layer's too, and as fast to learn, whatever comes out of it.
    """

    def __init__(
        self, vocab: int, width: int, *, pad: int | None, dropout: float = 0.0, factor: float = 1.0
    ) -> None:
        super().__init__(vocab, width, padding_idx=pad)
        self.dropout, self.factor = Dropout(dropout), factor

    def reset_parameters(self) -> None:
        """Vectors of length 1, on average."""
        nn.init.normal_(self.weight, std=self.embedding_dim**-0.5)
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
        return self.dropout(vectors if self.factor == 1 else vectors * self.factor)


def embeddings(
    config: Seq2SeqConfig,
    width: int,
    *,
    dropout: float | None = None,
    factor: float | None = None,
) -> tuple[TokenEmbedding, TokenEmbedding]:
    """The source's embedding and the target's: one and the same if they are shared.

    Vectors are multiplied by √D, so that their features are of size 1, unless ``factor`` says
    otherwise.

    Args:
        config: the model's.
        width: D.
        dropout: probability with which a feature is dropped; the config's if not given.
        factor: what vectors are multiplied with.
    """
    times = width**0.5 if factor is None else factor
    dropped = config.dropout if dropout is None else dropout
    source, target = (
        TokenEmbedding(vocab, width, pad=config.pad, dropout=dropped, factor=times)
        for vocab in (config.source_vocab, config.target_vocab)
    )
    return (target, target) if config.shared else (source, target)
