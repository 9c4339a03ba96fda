"""One contract for all encoders of text: tokens in, a feature for each out."""

from torch import nn

from regard.types import Float, Int, Tensor

from .config import TextConfig
from .embedding import Spelling, TextEmbedding
from .encoders import encoder


class TextEncoder(nn.Module):
    """Tokens to features, whatever encodes them.

    >>> features = TextEncoder(config)(tokens, lengths)                  # (B, N, M)
    >>> features = TextEncoder(config)(tokens, lengths, spelling)        # characters beside words
    >>> pooled = pooling(PoolingConfig(kind="mean"), it.encoder)(features, lengths)   # (B, M)

    What stands beyond a sequence's length has no influence, and its features are zero; a sequence
    alone has the features that it has in a batch.

    Args:
        config: embedding and encoder, and the sizes of the vocabularies.
    """

    def __init__(self, config: TextConfig) -> None:
        super().__init__()
        self.embedding = TextEmbedding(config)
        self.encoder = encoder(config.encoder, self.embedding.output_dim)
        self.output_dim = self.encoder.output_dim

    def forward(
        self,
        tokens: Int[Tensor, "B N"],
        lengths: Int[Tensor, " B"],
        spelling: Spelling | None = None,
        segments: Int[Tensor, "B N"] | None = None,
    ) -> Float[Tensor, "B N M"]:
        """A feature for every token."""
        return self.encoder(self.embedding(tokens, spelling, segments), lengths)
