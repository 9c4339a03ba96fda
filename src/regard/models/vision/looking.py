"""How a caption's next word looks at a picture: softly, at one place, or at all alike."""

from typing import Annotated, Literal, Protocol, runtime_checkable

import torch
from pydantic import Field
from torch import nn

from regard.nn import BahdanauAttention, Choice, HardAttention, Memory
from regard.nn.hard import Estimator
from regard.types import Bool, Float, Tensor

from ..choices import NormaliserName
from ..config import Config, Probability, Size
from ..rnn.attentions import StepResult
from ..rnn.fast.loops import AttentionLoop


@runtime_checkable
class Look(Protocol):
    """The looks of one pass at one memory."""

    def step(self, state: Float[Tensor, "B H"]) -> StepResult:
        """What the state of one step sees."""


class Soft(Config):
    """The mean of all places, weighted."""

    kind: Literal["soft"] = "soft"
    attention_dim: Size = 256
    """Width of the hidden layer that scores places."""
    normalise: NormaliserName = "softmax"
    """How scores become weights."""

    def build(self, query_dim: int, key_dim: int) -> "SoftLooking":
        """The module."""
        return SoftLooking(query_dim, key_dim, self)


class Hard(Config):
    """One place, drawn in training."""

    kind: Literal["hard"] = "hard"
    attention_dim: Size = 256
    """Width of the hidden layer that scores places."""
    estimator: Estimator = "reinforce"
    """How the choice is learned: ``reinforce``, ``straight_through`` or ``gumbel``."""
    temperature: Annotated[float, Field(gt=0)] = 1.0
    """τ of ``gumbel``; the others have none."""
    expected: Probability = 0.5
    """Share of the pictures whose places are not drawn in training but weighted, as soft attention
    does it: less variance of the gradients, at the price of a bias."""

    def build(self, query_dim: int, key_dim: int) -> "HardLooking":
        """The module."""
        return HardLooking(query_dim, key_dim, self)


class Everywhere(Config):
    """No attention: the mean of all places, in every step."""

    kind: Literal["none"] = "none"

    def build(self, query_dim: int, key_dim: int) -> "MeanLooking":
        """The module."""
        return MeanLooking()


LookingConfig = Annotated[Soft | Hard | Everywhere, Field(discriminator="kind")]
"""How a state looks at places."""


class SoftLooking(nn.Module):
    r"""Deterministic soft attention.

    .. math:: e_{ti} = v^\top \tanh(W_a a_i + W_h h_{t-1}), \quad
              \alpha_t = \text{softmax}(e_t), \quad \hat z_t = \sum_i \alpha_{ti} a_i

    Xu et al. 2015, section 4.2 (https://arxiv.org/abs/1502.03044); the gate β is the decoder's.

    Args:
        query_dim: width of the state.
        key_dim: width of an annotation vector.
        config: the rest.
    """

    def __init__(self, query_dim: int, key_dim: int, config: Soft) -> None:
        super().__init__()
        self.attention = BahdanauAttention(
            query_dim, key_dim, config.attention_dim, normalise=config.normalise
        )

    def prepare(self, keys: Float[Tensor, "B K M"]) -> Memory:
        """Keys projected once for all steps."""
        return self.attention.prepare(keys)

    def begin(self, memory: Memory) -> Look:
        """The looks of one pass."""
        return _SoftLook(self.attention, memory)


class _SoftLook:
    def __init__(self, attention: BahdanauAttention, memory: Memory) -> None:
        self._loop = AttentionLoop(attention, memory)

    def step(self, state: Float[Tensor, "B H"]) -> StepResult:
        return StepResult(*self._loop.step(state))


class HardLooking(nn.Module):
    r"""Stochastic hard attention: one place, drawn in training, the likeliest otherwise.

    .. math:: s_t \sim \text{Multinoulli}(\alpha_t), \quad \hat z_t = \sum_i s_{ti} a_i

    Xu et al. 2015, section 4.1 (https://arxiv.org/abs/1502.03044). For a share of the pictures
    the expected value :math:`\sum_i \alpha_{ti} a_i` takes the place of what is drawn, which the
    paper does with probability 0.5 to reduce the variance of REINFORCE.

    Args:
        query_dim: width of the state.
        key_dim: width of an annotation vector.
        config: the rest.
    """

    def __init__(self, query_dim: int, key_dim: int, config: Hard) -> None:
        super().__init__()
        self.expected = config.expected
        self.attention = HardAttention(
            query_dim,
            key_dim,
            score="concat",
            hidden_dim=config.attention_dim,
            estimator=config.estimator,
            temperature=config.temperature,
        )

    def prepare(self, keys: Float[Tensor, "B K M"]) -> Memory:
        """Keys projected once for all steps."""
        return self.attention.prepare(keys)

    def begin(self, memory: Memory) -> Look:
        """The looks of one pass; which pictures are weighted is drawn once for all steps."""
        weighted = None
        if self.training and self.expected:
            device = memory.value.device
            weighted = torch.rand(len(memory.value), device=device) < self.expected  # (B,)
        return _HardLook(self.attention, memory, weighted)


class _HardLook:
    def __init__(
        self, attention: HardAttention, memory: Memory, weighted: Bool[Tensor, " B"] | None
    ) -> None:
        self._attention, self._memory, self._weighted = attention, memory, weighted

    def step(self, state: Float[Tensor, "B H"]) -> StepResult:
        choice = self._attention.sample(state, self._memory)
        if self._weighted is not None:
            choice = _expected(choice, self._memory, self._weighted)
        if self._attention.estimator != "reinforce":
            return StepResult(choice.context, choice.weights)
        return StepResult(choice.context, choice.weights, choice.log_prob, choice.entropy)


def _expected(choice: Choice, memory: Memory, rows: Bool[Tensor, " B"]) -> Choice:
    """These rows with the expected context, and nothing that was drawn."""
    mean = (choice.weights.unsqueeze(-2) @ memory.value).squeeze(-2)  # (B, E)
    return choice._replace(
        context=torch.where(rows.unsqueeze(-1), mean, choice.context),
        log_prob=choice.log_prob.masked_fill(rows, 0),
    )


class MeanLooking(nn.Module):
    """All places alike: what a captioner without attention sees."""

    def prepare(self, keys: Float[Tensor, "B K M"]) -> Memory:
        """Nothing to project."""
        return Memory(keys, keys)

    def begin(self, memory: Memory) -> Look:
        """The looks of one pass."""
        return _MeanLook(memory)


class _MeanLook:
    def __init__(self, memory: Memory) -> None:
        self._mean = memory.value.mean(dim=-2)

    def step(self, state: Float[Tensor, "B H"]) -> StepResult:
        return StepResult(self._mean, None)


Looking = SoftLooking | HardLooking | MeanLooking
