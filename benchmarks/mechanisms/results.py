"""What came of every mechanism, as plain values."""

from dataclasses import dataclass
from typing import Any

from regard.config import Config

from ..race import RaceResult, Report


class Length(Config):
    """The sentences of one length."""

    label: str
    sentences: int
    bleu: float | None


class Result(Config):
    """What one mechanism reached; ``result.json`` holds it."""

    parameters: int
    updates: int
    minutes: float
    """Of training, validation counted."""
    tokens_per_second: float
    """Target tokens learned from per second of updates."""
    peak_bytes: int
    """The most memory of the process until training ended."""
    bleu: float
    chrf: float
    exact: float
    aer: float | None
    """Of attention that reads the reference; ``None`` without gold, or without attention."""
    signatures: tuple[str, ...]
    """How BLEU and chrF were computed."""
    lengths: tuple[Length, ...]


@dataclass(frozen=True)
class Ground:
    """What all mechanisms learned from and were measured on: ``"grammar"`` or ``"files"``."""

    task: str
    minutes: float
    sentences: int

    @property
    def label(self) -> str:
        """In one line."""
        return f"{self.task}, {self.minutes:g} minutes"

    def facts(self) -> dict[str, Any]:
        """All of it."""
        return {"task": self.task, "minutes": self.minutes, "sentences": self.sentences}


MechanismsReport = Report[RaceResult[Ground, Result], Ground]
"""One race, whose turns are whole runs and count scores; nothing is claimed of it."""
