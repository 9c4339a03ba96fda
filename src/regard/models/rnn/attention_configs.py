"""The attentions of Luong's decoder as values of its config."""

from typing import Annotated, Literal

from pydantic import Field

from regard.nn.hard import Estimator
from regard.nn.luong import ScoreName

from ..choices import NormaliserName
from ..config import Config, Size
from .attentions import GlobalLooking, HardLooking, LocalLooking


class Scored(Config):
    """What all of them choose."""

    score: ScoreName = "general"
    """Content score, Eq. 8: ``dot``, ``general``, ``concat`` or ``location``."""
    max_length: Size | None = None
    """The longest source that ``location`` has rows for; needed there, and nowhere else."""
    normalise: NormaliserName = "softmax"
    """How scores become weights."""

    @property
    def moves(self) -> bool:
        """Whether it looks elsewhere in every step, whatever the state."""
        return False


class Global(Scored):
    """All of the source."""

    kind: Literal["global"] = "global"

    def build(self, query_dim: int, key_dim: int) -> GlobalLooking:
        """The module."""
        return GlobalLooking(
            query_dim,
            key_dim,
            self.score,
            max_length=self.max_length,
            normalise=self.normalise,
        )


class LocalM(Scored):
    """A window around the current step."""

    kind: Literal["local-m"] = "local-m"
    half_width: Annotated[int, Field(ge=0)] = 10
    """D, positions on each side of the centre."""

    @property
    def moves(self) -> bool:
        """Its window does."""
        return True

    def build(self, query_dim: int, key_dim: int) -> LocalLooking:
        """The module."""
        return LocalLooking(
            query_dim,
            key_dim,
            half_width=self.half_width,
            score=self.score,
            max_length=self.max_length,
            normalise=self.normalise,
        )


class LocalP(Scored):
    """A window around a predicted position."""

    kind: Literal["local-p"] = "local-p"
    half_width: Size = 10
    """D, positions on each side of the centre; σ is half of it."""

    def build(self, query_dim: int, key_dim: int) -> LocalLooking:
        """The module."""
        return LocalLooking(
            query_dim,
            key_dim,
            half_width=self.half_width,
            predictive=True,
            score=self.score,
            max_length=self.max_length,
            normalise=self.normalise,
        )


class Hard(Scored):
    """One position, drawn in training (Xu et al. 2015, https://arxiv.org/abs/1502.03044)."""

    kind: Literal["hard"] = "hard"
    estimator: Estimator = "reinforce"
    """How the choice is learned: ``reinforce``, ``straight_through`` or ``gumbel``."""
    temperature: Annotated[float, Field(gt=0)] = 1.0
    """τ of ``gumbel``; the others have none."""

    def build(self, query_dim: int, key_dim: int) -> HardLooking:
        """The module."""
        return HardLooking(
            query_dim,
            key_dim,
            score=self.score,
            estimator=self.estimator,
            temperature=self.temperature,
            max_length=self.max_length,
            normalise=self.normalise,
        )


AttentionConfig = Annotated[Global | LocalM | LocalP | Hard, Field(discriminator="kind")]
"""Where a state of the decoder may look."""
