"""What a translator is trained for, as settings."""

from pydantic import Field

from regard.config import Config


class LossConfig(Config):
    """The terms of the loss, and how much each of them counts."""

    label_smoothing: float = Field(default=0.0, ge=0, lt=1)
    """Share of the target's probability that goes to all tokens alike (Szegedy et al. 2016)."""
    guided: float = Field(default=0.0, ge=0)
    """Weight of the loss that makes attention look where gold alignments say; 0 leaves it out."""
    reinforce: float = Field(default=1.0, ge=0)
    """λ_r, weight of the reward of positions drawn; only for hard attention by REINFORCE."""
    entropy: float = Field(default=0.01, ge=0)
    """λ_e, weight of the entropy of what positions are drawn from, in hard attention."""
