"""Which pairs of words are learned from."""

from pydantic import Field

from regard.config import Config


class Sampling(Config):
    """Mikolov et al. 2013, sections 2.2 and 2.3 (https://arxiv.org/abs/1310.4546)."""

    window: int = Field(default=5, ge=1)
    """Words on either side that count at most; of each word, as many as are drawn from 1 to it."""
    negatives: int = Field(default=5, ge=1)
    """How much words that do not stand beside it count, against one that does."""
    shared: int = Field(default=64, ge=1)
    """How many such words are drawn for a whole batch."""
    power: float = Field(default=0.75, ge=0)
    """They are drawn by their counts to this power."""
    frequent: float = Field(default=1e-3, gt=0)
    """Words of a larger share than this are left out, the more often the more there are."""
    seed: int = Field(default=0, ge=0)
    """Of all that is drawn."""
