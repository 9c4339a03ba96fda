"""From a latent to text: decoders that know of a text what its one vector holds."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

import torch
from torch import nn

from regard.cells import Recurrent, Stack, StackState
from regard.types import Float, Int, Tensor

from ..dropout import Dropout
from ..embedding import TokenEmbedding
from ..output import Unembedding
from ..rnn.base import behind
from ..rnn.encoder import new_cell
from ..transformer.layers import DecoderLayer, initialise
from ..transformer.padding import Everything
from ..transformer.positions import joined
from ..transformer.residual import last_norm
from ..transformer.state import TransformerState
from ..widths import fed_widths
from .config import RecurrentDecoderConfig, TextAutoencoderConfig, TransformerDecoderConfig


class LatentDecoder(nn.Module):
    r"""A model of text that is given one vector.

    .. math:: p(y \mid z) = \prod_t p(y_t \mid y_{<t}, z)

    >>> logits = decoder.output(decoder(latent, written))    # (B, T, V), all positions at once
    >>> state = decoder.start(latent)                        # or one token at a time
    >>> logits, state = decoder.step(tokens, state)          # (B, V)

    Both give the same numbers. ``written`` begins with the token that begins a sentence; position t
    is about the token after it. What fills up a text stands behind it, where no token looks.

    Args:
        config: of the whole autoencoder.
        word_dropout: probability with which a token is read as the unknown one in training.
    """

    output: Unembedding
    """From features to logits."""

    def __init__(self, config: TextAutoencoderConfig, word_dropout: float) -> None:
        super().__init__()
        self.unknown, self.word_dropout = config.unknown, word_dropout

    @abstractmethod
    def forward(
        self, latent: Float[Tensor, "B Z"], written: Int[Tensor, "B T"]
    ) -> Float[Tensor, "B T M"]:
        """Features of all positions."""

    @abstractmethod
    def start(self, latent: Float[Tensor, "B Z"]) -> Any:
        """The state before the first token."""

    @abstractmethod
    def step(self, tokens: Int[Tensor, " B"], state: Any) -> tuple[Float[Tensor, "B V"], Any]:
        """Logits of the next token after ``tokens``, and the state behind them."""

    def blocks(self) -> list[nn.Module]:
        """Parts that may be spread over processes one by one."""
        return []

    def seen(self, written: Int[Tensor, "B T"]) -> Int[Tensor, "B T"]:
        """What is read of what is written: in training some tokens are unknown."""
        if not self.training or not self.word_dropout:
            return written
        dropped = torch.rand(written.shape, device=written.device) < self.word_dropout
        dropped[:, 0] = False  # what begins a sentence stays
        return written.masked_fill(dropped, self.unknown)


class LatentState(NamedTuple):
    """The layers of a recurrent decoder, and the latent that they see."""

    layers: StackState
    latent: Float[Tensor, "B Z"]

    def reorder(self, rows: Int[Tensor, " b"]) -> "LatentState":
        """The state of these elements of the batch."""
        return LatentState(self.layers.reorder(rows), self.latent.index_select(0, rows))

    def joined(self, other: "LatentState") -> "LatentState":
        """The state of both batches, the elements of ``other`` behind ours."""
        layers = StackState(behind(self.layers.layers, other.layers.layers))
        return LatentState(layers, torch.cat([self.latent, other.latent]))


class RecurrentDecoder(LatentDecoder):
    r"""A recurrent decoder that is shown the latent in every step.

    .. math:: s_t = \text{cell}([E y_{t-1}; z], s_{t-1}), \quad s_0 = 0, \quad
              p(y_t) = \text{softmax}(W_o s_t + b)

    Cho et al. 2014, section 2.2 (https://arxiv.org/abs/1406.1078). Differs from the paper: z
    neither begins the states nor enters the output beside them.
    """

    def __init__(self, config: TextAutoencoderConfig, own: RecurrentDecoderConfig) -> None:
        super().__init__(config, own.word_dropout)
        width, hidden = own.embedding_dim, own.hidden_dim
        self.embedding = TokenEmbedding(config.vocab, width, pad=config.pad, factor=width**0.5)
        widths = fed_widths(width + config.latent, hidden, own.num_layers)
        cells = [new_cell(own.cell, fed, hidden) for fed in widths]
        self.layers = Recurrent(Stack(cells, dropout=own.dropout))
        self.dropout = Dropout(own.dropout)
        self.output = Unembedding(hidden, config.vocab)

    def forward(
        self, latent: Float[Tensor, "B Z"], written: Int[Tensor, "B T"]
    ) -> Float[Tensor, "B T M"]:
        """All steps in the fused kernel."""
        return self._advanced(self.seen(written), self.start(latent))[0]

    def start(self, latent: Float[Tensor, "B Z"]) -> LatentState:
        """Nothing is known but the latent."""
        return LatentState(self.layers.cell.start(len(latent)), latent)

    def step(
        self, tokens: Int[Tensor, " B"], state: LatentState
    ) -> tuple[Float[Tensor, "B V"], LatentState]:
        """Logits of the next token after ``tokens``, and the state behind them."""
        features, state = self._advanced(tokens.unsqueeze(1), state)
        return self.output(features.squeeze(1)), state

    def _advanced(
        self, written: Int[Tensor, "B T"], state: LatentState
    ) -> tuple[Float[Tensor, "B T M"], LatentState]:
        shown = state.latent.unsqueeze(1).expand(-1, written.shape[1], -1)
        fed = torch.cat([self.embedding(written), shown], dim=-1)  # (B, T, D + Z)
        features, layers = self.layers(fed, state.layers)
        return self.dropout(features), state._replace(layers=layers)


class TransformerDecoder(LatentDecoder):
    r"""Layers that look at what is written and at the latent, expanded to K memory slots.

    .. math:: m_k = \text{LN}(W_k z + b_k), \quad x_{l+1} = \text{layer}_l(x_l, m), \quad
              p(y_{t+1}) = \text{softmax}(W_o x_L + b)

    The layers of Vaswani et al. 2017 (https://arxiv.org/abs/1706.03762), with the slots where a
    translator has the words of its source, as Montero et al. 2021
    (https://arxiv.org/abs/2109.00055) attend to one bottleneck vector.
    """

    layers: Sequence[DecoderLayer]  # an nn.ModuleList

    def __init__(self, config: TextAutoencoderConfig, own: TransformerDecoderConfig) -> None:
        super().__init__(config, own.word_dropout)
        width, layers = own.model_dim, own.layers(config.vocab, config.pad)
        self.slots = own.slots
        self.embedding = TokenEmbedding(config.vocab, width, pad=config.pad, factor=width**0.5)
        self.expand = nn.Linear(config.latent, own.slots * width)
        self.slot_norm = nn.LayerNorm(width)
        self.position, self.dropout = joined(layers), Dropout(own.dropout)
        made = nn.ModuleList(DecoderLayer(layers) for _ in range(own.num_layers))
        self.layers = cast(Sequence[DecoderLayer], made)
        self.norm = last_norm(layers)
        self.output = Unembedding(width, config.vocab)
        initialise(self, tied=torch.empty(0))

    def memory(self, latent: Float[Tensor, "B Z"]) -> Float[Tensor, "B K M"]:
        """The latent as slots to be looked at."""
        return self.slot_norm(self.expand(latent).unflatten(-1, (self.slots, -1)))

    def forward(
        self, latent: Float[Tensor, "B Z"], written: Int[Tensor, "B T"]
    ) -> Float[Tensor, "B T M"]:
        """All positions at once."""
        slots, x = self.memory(latent), self._embedded(self.seen(written), 0)
        for layer in self.layers:
            x = layer(x, Everything(), layer.cross.prepare(slots)).states
        return self.norm(x)

    def start(self, latent: Float[Tensor, "B Z"]) -> TransformerState:
        """Keys and values of the slots in every layer."""
        slots = self.memory(latent)
        memories = tuple(layer.cross.prepare(slots) for layer in self.layers)
        return TransformerState.before_the_first_step(memories, source_width=self.slots)

    def step(
        self, tokens: Int[Tensor, " B"], state: TransformerState
    ) -> tuple[Float[Tensor, "B V"], TransformerState]:
        """Logits of the next token after ``tokens``, and the state behind them."""
        x, caches = self._embedded(tokens.unsqueeze(1), state.position), []
        for layer, cache, memory in zip(self.layers, state.caches, state.memories, strict=True):
            x, _, grown = layer.step(x, cache, memory)  # (B, 1, M), and a key more
            caches.append(grown)
        after = replace(state, caches=tuple(caches), position=state.position + 1)
        return self.output(self.norm(x).squeeze(1)), after

    def blocks(self) -> list[nn.Module]:
        """The layers."""
        return list(self.layers)

    def _embedded(self, written: Int[Tensor, "B T"], start: int) -> Float[Tensor, "B T M"]:
        return self.dropout(self.position(self.embedding(written), start))


def latent_decoder(config: TextAutoencoderConfig) -> LatentDecoder:
    """The decoder of a config."""
    if isinstance(config.decoder, TransformerDecoderConfig):
        return TransformerDecoder(config, config.decoder)
    return RecurrentDecoder(config, config.decoder)
