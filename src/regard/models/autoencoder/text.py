"""A text through one vector, and back."""

from typing import Any

from torch import nn
from torch.nn.functional import pad

from regard.types import Float, Int, Tensor

from ..text.encoder import TextEncoder
from ..text.pooling import pooling
from .config import TextAutoencoderConfig
from .decoders import latent_decoder


class TextAutoencoder(nn.Module):
    r"""An encoder, one vector, and a decoder that knows of the text what the vector holds.

    .. math:: z = W \, \text{pool}(\text{encoder}(\tilde x)) + b, \quad
              p(x \mid z) = \prod_t p(x_t \mid x_{<t}, z)

    Li et al. 2015 (https://arxiv.org/abs/1506.01057) and, where :math:`\tilde x` is x with words
    dropped, hidden or moved, Hill et al. 2016 (https://arxiv.org/abs/1602.03483).

    >>> latent = model.encode(tokens, lengths)                 # (B, Z)
    >>> logits = model(tokens, lengths, written)               # (B, T, V)
    >>> state = model.start(tokens, lengths)                   # step by step, as any decoder
    """

    def __init__(self, config: TextAutoencoderConfig) -> None:
        super().__init__()
        self.config = config
        self.text = TextEncoder(config)
        self.pooling = pooling(config.pooling, self.text.encoder)
        self.latent = nn.Linear(self.text.output_dim, config.latent)
        nn.init.zeros_(self.latent.bias)
        self.decoder = latent_decoder(config)

    @property
    def output(self) -> nn.Module:
        """From features to logits."""
        return self.decoder.output

    def encode(
        self, tokens: Int[Tensor, "B N"], lengths: Int[Tensor, " B"]
    ) -> Float[Tensor, "B Z"]:
        """The vector of each text; what stands beyond its length has no influence."""
        if self.config.pooling.kind == "class_token":
            tokens, lengths = pad(tokens, (1, 0), value=self.config.start), lengths + 1
        return self.latent(self.pooling(self.text(tokens, lengths), lengths))

    def features(
        self,
        tokens: Int[Tensor, "B N"],
        lengths: Int[Tensor, " B"],
        written: Int[Tensor, "B T"],
    ) -> Float[Tensor, "B T M"]:
        """What the output layer turns into logits, of all positions of what is written."""
        return self.decoder(self.encode(tokens, lengths), written)

    def forward(
        self,
        tokens: Int[Tensor, "B N"],
        lengths: Int[Tensor, " B"],
        written: Int[Tensor, "B T"],
    ) -> Float[Tensor, "B T V"]:
        """Logits of the token after each position of what is written."""
        return self.output(self.features(tokens, lengths, written))

    def start(self, tokens: Int[Tensor, "B N"], lengths: Int[Tensor, " B"]) -> Any:
        """The state before the first token, with the text read."""
        return self.decoder.start(self.encode(tokens, lengths))

    def step(self, tokens: Int[Tensor, " B"], state: Any) -> tuple[Float[Tensor, "B V"], Any]:
        """Logits of the next token after ``tokens``, and the state behind them."""
        return self.decoder.step(tokens, state)

    def last_weights(self, state: Any) -> None:
        """The text itself is not there to be looked at."""
        return

    def blocks(self) -> list[nn.Module]:
        """Those of encoder and decoder."""
        return [*self.text.encoder.blocks(), *self.decoder.blocks()]
