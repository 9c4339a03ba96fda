"""The contract of a sequence-to-sequence model: encode, decode in parallel, step by step."""

from abc import abstractmethod
from typing import Any, NamedTuple, Protocol, TypeVar

from torch import nn

from regard.types import Float, Int, Tensor

from .config import Seq2SeqConfig

# The checker of the tests knows typing.Self only where it decorates whole classes.
Same = TypeVar("Same", bound="State")


class State(Protocol):
    """What a decoder carries from step to step: returned, and passed back."""

    def reorder(self: Same, rows: Int[Tensor, " b"]) -> Same:
        """The state of these elements of the batch, as beam search asks for.

        An element may be asked for more than once, or not at all.
        """


class Drawn(NamedTuple):
    """What :class:`regard.nn.ReinforceLoss` needs to know of positions drawn, one per step."""

    log_prob: Float[Tensor, "B T"]
    """Logarithm of the probability with which the position was drawn."""
    entropy: Float[Tensor, "B T"]
    """Of the distribution it was drawn from."""
    lasting: bool = True
    """Whether later steps depend on it, as with input feeding; otherwise its own step alone."""


class Decoded(NamedTuple):
    """A target read with its source."""

    features: Float[Tensor, "B T M"]
    """What the output layer turns into logits."""
    weights: Float[Tensor, "B T S"] | None
    """Where each target position looked, differentiable; ``None`` where a model does not look."""
    drawn: Drawn | None = None
    """Where positions were drawn and the features have no gradient into how; ``None`` elsewhere."""


class Seq2Seq(nn.Module):
    """A model p(target | source), read in parallel for training and step by step for decoding.

    >>> logits = model(source, source_lengths, target)      # (B, T, V), all positions at once
    >>> state = model.start(source, source_lengths)         # or one token at a time
    >>> logits, state = model.step(tokens, state)           # (B, V)
    >>> state = state.reorder(rows)                         # beams

    Both give the same numbers. ``target`` begins with the token that begins a sentence; position t
    of the logits is about the token after it.
    """

    config: Seq2SeqConfig
    output: nn.Module
    """From features to logits."""

    @abstractmethod
    def decode_parallel(
        self,
        source: Int[Tensor, "B S"],
        source_lengths: Int[Tensor, " B"],
        target: Int[Tensor, "B T"],
        *,
        aligned: bool = False,
    ) -> Decoded:
        """Features of all target positions, and where they looked if ``aligned``."""

    @abstractmethod
    def start(self, source: Int[Tensor, "B S"], source_lengths: Int[Tensor, " B"]) -> Any:
        """The :class:`State` before the first token."""

    @abstractmethod
    def step(self, tokens: Int[Tensor, " B"], state: Any) -> tuple[Float[Tensor, "B V"], Any]:
        """Logits of the next token after ``tokens``, and the state behind them."""

    @abstractmethod
    def last_weights(self, state: Any) -> Float[Tensor, "B S"] | None:
        """Where the last step looked; ``None`` where a model does not look."""

    def blocks(self) -> list[nn.Module]:
        """Parts whose parameters :meth:`decode_parallel` uses only inside their own forward.

        They may be spread over processes one by one; without any, the model is spread as a whole.
        """
        return []

    def forward(
        self,
        source: Int[Tensor, "B S"],
        source_lengths: Int[Tensor, " B"],
        target: Int[Tensor, "B T"],
    ) -> Float[Tensor, "B T V"]:
        """Logits of the token after each target position."""
        return self.output(self.decode_parallel(source, source_lengths, target).features)
