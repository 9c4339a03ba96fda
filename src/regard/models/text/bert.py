"""Hidden tokens guessed from all others: an encoder with a head over the vocabulary."""

from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import Field, model_validator
from torch import nn
from torch.nn.functional import gelu, normalize

from regard.errors import InputError
from regard.types import Bool, Float, Int, Tensor

from ..config import Config, Size
from ..output import Unembedding
from ..transformer.residual import EPSILON
from .config import (
    EmbeddingConfig,
    EncoderConfig,
    PoolingConfig,
    TextConfig,
    TransformerEncoderConfig,
)
from .encoder import TextEncoder
from .pooling import Pooler

SENTENCES: dict[str, Callable[[Tensor], Tensor]] = {
    "mean": lambda features: features.mean(dim=0),
    "max": lambda features: features.amax(dim=0),
    "class_token": lambda features: features[0],
}


class SentenceConfig(Config):
    """How the features of a text become one vector.

    Reimers and Gurevych 2019, section 3 (https://arxiv.org/abs/1908.10084).
    """

    pooling: Literal["mean", "max", "class_token"] = "mean"
    """The mean of the features of its tokens, the maximum of each, or the feature of ``[CLS]``."""
    framed: bool = False
    """Whether the tokens around a text are among those that are pooled, as in their library."""
    normalised: bool = False
    """Whether the vector has length 1."""
    length: Size | None = None
    """Tokens that are read, with those around them; as many as there are positions if not given."""

    def pooled(self, features: Float[Tensor, "N M"]) -> Float[Tensor, " M"]:
        """The vector of a text of these features; zero if there are none."""
        if not len(features):
            return features.new_zeros(features.shape[-1])
        found = SENTENCES[self.pooling](features)
        return normalize(found, dim=-1) if self.normalised else found


class BertConfig(TextConfig):
    """Devlin et al. 2019 (https://arxiv.org/abs/1810.04805), around any encoder."""

    kind: Literal["bert"] = "bert"
    mask: Annotated[int, Field(ge=0)] = 3
    """``[MASK]``, the token that stands for one to be guessed. Its number is the one that ends
    sentences elsewhere, which no text is encoded with."""
    encoder: EncoderConfig = TransformerEncoderConfig(activation="gelu")
    """From vectors to features."""
    head: bool = True
    """Whether it guesses hidden tokens; what was made for vectors of texts alone does not."""
    pooler: bool = False
    """Whether it has BERT's pooler, which a classifier takes over."""
    sentence: SentenceConfig = SentenceConfig()
    """How a text becomes one vector."""

    @property
    def longest(self) -> int | None:
        """Tokens less that are put around the text, such as ``[CLS]``."""
        most = super().longest
        return None if most is None else most - self.around

    @model_validator(mode="after")
    def _mask_exists(self) -> "BertConfig":
        if self.mask >= self.vocab:
            raise ValueError(
                f"mask needs to be among the {self.vocab} tokens of the vocabulary, got {self.mask}"
            )
        return self


class Bert(nn.Module):
    r"""A distribution over the vocabulary for every token, by what stands on both sides of it.

    .. math:: P = \text{softmax}(W_e\, \text{LayerNorm}(\text{GELU}(W_f X + b_f)) + b_u), \quad
              X = \text{encoder}(W_e[x] + W_p)

    Devlin et al. 2019 (https://arxiv.org/abs/1810.04805); ETransformer, algorithm 9 of Phuong and
    Hutter 2022 (https://arxiv.org/abs/2207.09238), whose unembedding W_u is here the embedding W_e
    (tied). A text begins with ``[CLS]``, which is :attr:`BertConfig.start`. What a fine-tuned model
    takes over is :attr:`text`; the head stays behind.

    Args:
        config: embedding and encoder.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.config = config
        self.text = TextEncoder(config)
        width = self.text.output_dim
        self.pooler = Pooler(PoolingConfig(), self.text.encoder) if config.pooler else None
        if config.head:
            eps = getattr(config.encoder, "norm_eps", EPSILON)
            self.final_proj = nn.Linear(width, width)
            self.final_norm = nn.LayerNorm(width, eps=eps)
            nn.init.xavier_uniform_(self.final_proj.weight)
            nn.init.zeros_(self.final_proj.bias)
            self.output = Unembedding(width, config.vocab, tied_to=self.text.embedding.table)

    def forward(
        self,
        tokens: Int[Tensor, "B N"],
        lengths: Int[Tensor, " B"],
        segments: Int[Tensor, "B N"] | None = None,
    ) -> Float[Tensor, "B N V"]:
        """Logits at every place."""
        read = self.head(self.text(tokens, lengths, segments=segments))
        return self.output(read)

    def features_at(
        self, places: Bool[Tensor, "B N"], tokens: Int[Tensor, "B N"], lengths: Int[Tensor, " B"]
    ) -> Float[Tensor, "R M"]:
        """What the output layer reads at some places, row by row: no more logits than asked for."""
        return self.head(self.text(tokens, lengths)[places])

    def head(self, features: Float[Tensor, "*B M"]) -> Float[Tensor, "*B M"]:
        """From features of the encoder to what the output layer reads.

        Raises:
            InputError: it has no head.
        """
        if not self.config.head:
            raise InputError(
                "this model has no head for hidden tokens, it makes vectors of texts: use it with "
                "regard embed, or begin a model for another task with it by --init-from"
            )
        return self.final_norm(gelu(self.final_proj(features)))

    def blocks(self) -> list[nn.Module]:
        """Those of the encoder."""
        return self.text.encoder.blocks()


def bert_tiny(*, vocab: int) -> BertConfig:
    """Two layers of 128: learns a small text in minutes."""
    return _bert(vocab, model_dim=128, num_heads=2, num_layers=2, hidden_dim=512)


def bert_small(*, vocab: int) -> BertConfig:
    """Four layers of 256: what two cores can train in an hour."""
    return _bert(vocab, model_dim=256, num_heads=4, num_layers=4, hidden_dim=1024)


def _bert(
    vocab: int, *, model_dim: int, num_heads: int, num_layers: int, hidden_dim: int
) -> BertConfig:
    """Norms before sublayers, rotary positions: both learn faster from little than BERT's own."""
    encoder = TransformerEncoderConfig(
        model_dim=model_dim,
        num_heads=num_heads,
        num_layers=num_layers,
        hidden_dim=hidden_dim,
        activation="gelu",
        position="rotary",
        dropout=0.1,
    )
    embedding = EmbeddingConfig(dim=model_dim, dropout=0.0)
    return BertConfig(vocab=vocab, embedding=embedding, encoder=encoder)
