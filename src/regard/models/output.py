"""Output layers: from features to logits."""

from torch import nn

from regard.types import Float, Tensor

from .embedding import TokenEmbedding


class Unembedding(nn.Module):
    r"""The output layer: one logit for every token.

    .. math:: o = W_o \, [P] \, x + b

    Tied, W_o is the matrix of the target's embedding (Press and Wolf 2017,
    https://arxiv.org/abs/1608.05859); a map P without a bias comes before it where the features
    have another width than the embedding.

    Args:
        width: of the features.
        vocab: number of tokens.
        tied_to: the embedding whose matrix is W_o; ``None`` for a matrix of its own.
        bias: whether there is a b.
        factor: what features are multiplied with before: T5's 1/√M.
    """

    def __init__(
        self,
        width: int,
        vocab: int,
        *,
        tied_to: TokenEmbedding | None = None,
        bias: bool = True,
        factor: float = 1.0,
    ) -> None:
        super().__init__()
        inner = width if tied_to is None else tied_to.embedding_dim
        self.factor = factor
        self.bridge = nn.Identity() if inner == width else nn.Linear(width, inner, bias=False)
        self.proj = nn.Linear(inner, vocab, bias=bias)
        if bias:
            nn.init.zeros_(self.proj.bias)
        if tied_to is not None:
            self.proj.weight = tied_to.weight

    def forward(self, features: Float[Tensor, "*B M"]) -> Float[Tensor, "*B V"]:
        """Logits."""
        if self.factor != 1:
            features = features * self.factor
        return self.proj(self.bridge(features))

    def rate_groups(self) -> dict[str, list[nn.Parameter]]:
        """One row for each token, as embeddings have, which may learn at their rate."""
        return {"embeddings": list(self.proj.parameters())}
