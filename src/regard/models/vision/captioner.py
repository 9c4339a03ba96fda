"""What training and decoding ask of a captioner, whatever is inside."""

from abc import abstractmethod
from typing import Any

from torch import nn

from regard.types import Float, Int, Tensor

from ..config import PaddedConfig, Probability, Size
from ..seq2seq import Decoded
from .grids import ConvGrid, Extent, GridConfig


class CaptionerConfig(PaddedConfig):
    """What all captioners need to know."""

    vocab: Size
    """Number of tokens of captions."""
    grid: GridConfig = ConvGrid()
    """Where the grid of places comes from: a CNN of its own, or maps of another network."""
    positions: bool = True
    """Whether places know where they stand."""
    dropout: Probability = 0.1
    """Probability with which a feature is dropped in training."""


class Captioner(nn.Module):
    """A model p(caption | picture), read in parallel for training, step by step for decoding.

    It is a :class:`regard.decoding.StepDecoder` whose prompt is a batch of pictures: uint8
    (B, 3, Y, X), or maps (B, C, y, x) of the network that its config names.

    >>> logits = model(pictures, captions)             # (B, T, V), all positions at once
    >>> state = model.start(pictures)                  # or one token at a time
    >>> logits, state = model.step(tokens, state)      # (B, V)
    >>> model.last_weights(state)                      # (B, K): where it looked on the grid
    """

    config: CaptionerConfig
    output: nn.Module
    """From features to logits."""

    @property
    def extent(self) -> Extent:
        """Rows and columns of the grid."""
        return self.config.grid.extent

    @abstractmethod
    def start(self, pictures: Tensor, lengths: Int[Tensor, " B"] | None = None) -> Any:
        """The :class:`regard.models.State` before the first token.

        Args:
            pictures: pixels or maps.
            lengths: places of each, which are always all.
        """

    @abstractmethod
    def read(self, pictures: Tensor) -> Float[Tensor, "B K M"]:
        """The places of pictures, each with its vector: what a caption looks at."""

    @abstractmethod
    def decode(
        self, places: Float[Tensor, "B K M"], target: Int[Tensor, "B T"], *, aligned: bool = False
    ) -> Decoded:
        """Features of all caption positions, and where they looked if ``aligned``."""

    def decode_parallel(
        self, pictures: Tensor, target: Int[Tensor, "B T"], *, aligned: bool = False
    ) -> Decoded:
        """The same of pictures."""
        return self.decode(self.read(pictures), target, aligned=aligned)

    @abstractmethod
    def step(self, tokens: Int[Tensor, " B"], state: Any) -> tuple[Float[Tensor, "B V"], Any]:
        """Logits of the next token after ``tokens``, and the state behind them."""

    @abstractmethod
    def last_weights(self, state: Any) -> Float[Tensor, "B K"] | None:
        """Where the last step looked; ``None`` where a model does not look."""

    def forward(self, pictures: Tensor, target: Int[Tensor, "B T"]) -> Float[Tensor, "B T V"]:
        """Logits of the token after each caption position."""
        return self.output(self.decode_parallel(pictures, target).features)
