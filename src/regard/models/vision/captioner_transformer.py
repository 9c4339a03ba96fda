"""A Transformer that writes about a picture: words look at words, and at places."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, cast

from torch import nn

from regard.types import Float, Int, Tensor

from ..config import Size
from ..dropout import Dropout
from ..embedding import TokenEmbedding
from ..output import Unembedding
from ..seq2seq import Decoded
from ..transformer.config import TransformerConfig
from ..transformer.layers import DecoderLayer, EncoderLayer, initialise
from ..transformer.padding import Everything
from ..transformer.positions import joined
from ..transformer.residual import norm_of
from ..transformer.state import TransformerState, last_weights
from .captioner import Captioner, CaptionerConfig
from .grids import Annotations


class TransformerCaptionerConfig(CaptionerConfig):
    """Layers as those of Vaswani et al. 2017 (https://arxiv.org/abs/1706.03762), normalised first.

    The places of the grid stand where a translator has the words of its source.
    """

    kind: Literal["transformer-captioner"] = "transformer-captioner"
    model_dim: Size = 256
    """Width between the layers."""
    num_heads: Size = 4
    """Heads of every attention."""
    encoder_layers: int = 0
    """Layers in which places look at each other, before words look at them."""
    decoder_layers: Size = 3
    """Layers of words."""
    hidden_dim: Size = 1024
    """Width inside the feed-forward layers."""
    alignment_layer: int | None = None
    """Layer that says where a word looked; the last but one, if not given."""

    def layers(self) -> TransformerConfig:
        """The same as a Transformer knows it."""
        return TransformerConfig(
            source_vocab=self.vocab,
            target_vocab=self.vocab,
            pad=self.pad,
            model_dim=self.model_dim,
            num_heads=self.num_heads,
            encoder_layers=max(1, self.encoder_layers),
            decoder_layers=self.decoder_layers,
            hidden_dim=self.hidden_dim,
            norm="pre",
            dropout=self.dropout,
            alignment_layer=self.alignment_layer,
        )


class TransformerCaptioner(Captioner):
    r"""Words that look at the words before them and at all places of a picture.

    .. math:: z_0 = \sqrt M\, E y + P, \quad z_{l+1} = \text{layer}_l(z_l, a), \quad
              p(y_{t+1}) = \text{softmax}(W_o z_L + b)

    Vaswani et al. 2017 (https://arxiv.org/abs/1706.03762) with the annotation vectors a of a
    picture as its source, as Sharma et al. 2018, section 4.2 (https://aclanthology.org/P18-1238)
    write captions. Everything is normalised before a sublayer.
    """

    config: TransformerCaptionerConfig
    encoder: Sequence[EncoderLayer]  # both are nn.ModuleList
    decoder: Sequence[DecoderLayer]

    def __init__(self, config: TransformerCaptionerConfig) -> None:
        super().__init__()
        self.config, layers = config, config.layers()
        width = config.model_dim
        self.embedding = TokenEmbedding(config.vocab, width, pad=config.pad, factor=width**0.5)
        self.position, self.dropout = joined(layers), Dropout(config.dropout)
        encoder = nn.ModuleList(EncoderLayer(layers) for _ in range(config.encoder_layers))
        self.encoder = cast(Sequence[EncoderLayer], encoder)
        decoder = nn.ModuleList(DecoderLayer(layers) for _ in range(config.decoder_layers))
        self.decoder = cast(Sequence[DecoderLayer], decoder)
        self.norm = norm_of("layer", width)
        self.output = Unembedding(width, config.vocab)
        initialise(self, tied=self.embedding.weight)
        self.annotations = Annotations(
            config.grid, width, positions=config.positions, dropout=config.dropout
        )
        self._chosen = layers.chosen_alignment_layer

    def read(self, pictures: Tensor) -> Float[Tensor, "B K M"]:
        """Places, after they have looked at each other if there are layers for it."""
        places = self.annotations(pictures)
        for layer in self.encoder:
            places = layer(places, Everything())
        return places

    def start(self, pictures: Tensor, lengths: Int[Tensor, " B"] | None = None) -> TransformerState:
        """The picture read, its keys and values projected in every layer."""
        places = self.read(pictures)
        memories = tuple(layer.cross.prepare(places) for layer in self.decoder)
        return TransformerState.before_the_first_step(memories, source_width=places.shape[1])

    def decode(
        self, places: Float[Tensor, "B K M"], target: Int[Tensor, "B T"], *, aligned: bool = False
    ) -> Decoded:
        """Features of all caption positions, and where they looked if ``aligned``.

        What fills up a caption stands behind it, where no word looks.
        """
        x, weights = self._embed(target, 0), None
        for number, layer in enumerate(self.decoder):
            memory = layer.cross.prepare(places)
            x, query = layer(x, Everything(), memory)
            if aligned and number == self._chosen:
                weights = layer.alignment(query, memory)
        return Decoded(self.norm(x), weights)  # (B, T, M), (B, T, K)

    def step(
        self, tokens: Int[Tensor, " B"], state: TransformerState
    ) -> tuple[Float[Tensor, "B V"], TransformerState]:
        """Logits of the next token after ``tokens``, and the state behind them."""
        x, caches, queries = self._embed(tokens.unsqueeze(1), state.position), [], []
        for layer, cache, memory in zip(self.decoder, state.caches, state.memories, strict=True):
            x, query, grown = layer.step(x, cache, memory)  # (B, 1, M), and a key more
            caches.append(grown)
            queries.append(query)
        after = replace(
            state, caches=tuple(caches), position=state.position + 1, query=queries[self._chosen]
        )
        return self.output(self.norm(x).squeeze(1)), after

    def last_weights(self, state: TransformerState) -> Float[Tensor, "B K"] | None:
        """Where the last step looked; ``None`` before the first."""
        return last_weights(state, self.decoder[self._chosen], self._chosen)

    def _embed(self, tokens: Int[Tensor, "B T"], start: int) -> Float[Tensor, "B T M"]:
        return self.dropout(self.position(self.embedding(tokens), start))
