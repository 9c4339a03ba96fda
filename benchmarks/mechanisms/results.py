"""What came of every mechanism, as plain values."""

from dataclasses import dataclass
from pathlib import Path

from regard.config import Config

from ..machine import Machine


@dataclass(frozen=True)
class MechanismSettings:
    """What the user asked for.

    Args:
        out: folder of the runs and of the results.
        quick: small models, few sentences.
        only: names of mechanisms; empty for all.
        minutes: of training, each; None for 3 on the grammar and 20 on files.
        threads: of everybody.
        data: files of pairs to train on; none for the grammar.
        test: files of pairs to measure on.
    """

    out: Path
    quick: bool = False
    only: tuple[str, ...] = ()
    minutes: float | None = None
    threads: int = 2
    data: tuple[Path, ...] = ()
    test: tuple[Path, ...] = ()


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
class MechanismsReport:
    """A whole comparison.

    Args:
        results: by the mechanism's name.
        absent: why a mechanism has no result.
    """

    machine: Machine
    settings: MechanismSettings
    task: str
    minutes: float
    sentences: int
    results: dict[str, Result]
    absent: dict[str, str]
    load_at_end: tuple[float, float, float]
