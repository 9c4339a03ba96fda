"""A translated sentence, and where each of its words came from."""

from typing import NamedTuple

from regard.tasks.pairs import Links
from regard.types import Float, Tensor


class Translation(NamedTuple):
    """One way to say it, in words."""

    source: str
    text: str
    score: float
    """What it was ranked by; more is better."""
    log_prob: float
    """Logarithm of the model's probability of it."""
    finished: bool
    """Whether the model ended it; otherwise the limit did."""
    cut: int
    """Tokens at the end of the source that were not read, because it is too long."""
    source_words: tuple[str, ...]
    """Words and marks of ``source``."""
    target_words: tuple[str, ...]
    """Words and marks of ``text``."""
    weights: Float[Tensor, "J I"] | None
    """How much each target word looked at each source word; ``None`` if not asked for, or where a
    model does not look."""
    links: Links
    """Which source and target words belong together, by the weights."""
    source_tokens: tuple[str, ...] = ()
    """What the model read, as its vocabulary writes it, without the end."""
    target_tokens: tuple[str, ...] = ()
    """What it wrote, likewise."""
