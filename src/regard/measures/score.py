"""A number with its name and how it came about."""

from typing import NamedTuple


class Interval(NamedTuple):
    """Where a number lies with some confidence."""

    low: float
    high: float
    confidence: float
    """From 0 to 1."""

    def __str__(self) -> str:
        return f"[{self.low:.1f}, {self.high:.1f}] at {100 * self.confidence:g} %"


class Score(NamedTuple):
    """The score of a whole corpus, from 0 to 100."""

    value: float
    name: str
    """Such as ``"BLEU"``."""
    signature: str
    """All that must be the same in another score for the two to be comparable."""
    interval: Interval | None = None
    """``None`` if no confidence was asked for."""

    def __str__(self) -> str:
        interval = "" if self.interval is None else f" {self.interval}"
        return f"{self.name} {self.value:.1f}{interval} ({self.signature})"
