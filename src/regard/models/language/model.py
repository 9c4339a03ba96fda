"""The contract of a language model: features in parallel, logits step by step."""

from abc import abstractmethod
from typing import Any

from torch import nn

from regard.types import Float, Int, Tensor

from ..output import Unembedding
from .config import LanguageConfig


class LanguageModel(nn.Module):
    r"""A model of text, one token after the other.

    .. math:: p(x) = \prod_t p(x_t \mid x_{<t})

    >>> logits = model(tokens)                              # (B, T, V), all positions at once
    >>> features, state = model.read(tokens, state)         # (B, T, M), and where to go on
    >>> state = model.start(prompt, lengths)                # or one token at a time
    >>> logits, state = model.step(tokens, state)           # (B, V)
    >>> state = state.reorder(rows)                         # beams

    All give the same numbers. Position t of the logits is about the token after it.
    """

    config: LanguageConfig
    output: Unembedding
    """From features to logits."""

    @abstractmethod
    def features(self, tokens: Int[Tensor, "B T"]) -> Float[Tensor, "B T M"]:
        """What the output layer turns into logits, of a text from its beginning."""

    @abstractmethod
    def read(
        self, tokens: Int[Tensor, "B T"], state: Any = None
    ) -> tuple[Float[Tensor, "B T M"], Any]:
        """Features of the tokens behind ``state``, or of the first ones, and the state behind them.

        With gradients, also into the state before: truncated back-propagation detaches it.
        """

    @abstractmethod
    def start(self, prompt: Int[Tensor, "B S"], lengths: Int[Tensor, " B"]) -> Any:
        """The state behind a prompt, which may be empty.

        Args:
            prompt: filled up behind the lengths with whatever.
            lengths: tokens of each.
        """

    def step(self, tokens: Int[Tensor, " B"], state: Any) -> tuple[Float[Tensor, "B V"], Any]:
        """Logits of the next token after ``tokens``, and the state behind them."""
        features, after = self.read(tokens.unsqueeze(-1), state)
        return self.output(features.squeeze(-2)), after

    def last_weights(self, state: Any) -> None:
        """There is no source to look at."""
        return

    def blocks(self) -> list[nn.Module]:
        """Parts that may be spread over processes one by one."""
        return []

    def forward(self, tokens: Int[Tensor, "B T"]) -> Float[Tensor, "B T V"]:
        """Logits of the token after each position."""
        return self.output(self.features(tokens))
