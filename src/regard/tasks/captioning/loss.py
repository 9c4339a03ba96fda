"""The terms of a captioner's loss; nothing here imports torch."""

from pydantic import Field

from regard.config import Config


class CaptionLossConfig(Config):
    """The terms of the loss, and how much each of them counts."""

    label_smoothing: float = Field(default=0.0, ge=0, lt=1)
    """Share of the target's probability that goes to all tokens alike (Szegedy et al. 2016)."""
    doubly_stochastic: float = Field(default=1.0, ge=0)
    """λ: how much it counts that every place is looked at, over a whole caption; for soft
    attention."""
    total: float = Field(default=1.0, gt=0)
    """τ: how much attention each place is to get over a whole caption."""
    reinforce: float = Field(default=1.0, ge=0)
    """λ_r, weight of the reward of places drawn; only for hard attention by REINFORCE."""
    entropy: float = Field(default=0.002, ge=0)
    """λ_e, weight of the entropy of what places are drawn from, in hard attention."""
    guided: float = Field(default=0.0, ge=0)
    """Weight of the loss that makes attention look where what a noun stands for is, in scenes; 0
    leaves it out, and attention learns from words alone."""
