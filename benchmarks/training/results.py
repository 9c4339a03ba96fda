"""What was measured of training, as plain values, and the verdicts on it."""

from dataclasses import dataclass
from pathlib import Path
from statistics import median

from ..machine import Machine
from ..results import Comparison, Verdict, compared, summarised
from ..timing import Samples
from .contenders import Architecture, Contender
from .corpus import Prepared

IDLE_SHARE = 0.02
"""Processor time while waiting, as a share of the time at work, that is worth a word."""


@dataclass(frozen=True)
class Turn:
    """What a system did while the others slept.

    Args:
        seconds: how long it trained.
        updates: how often.
        rows: sentences of all updates.
        source_tokens: without padding.
        target_tokens: predicted, padding not counted, ends of sentences counted.
        padded: rows times the longer side, summed over updates.
        idle_cpu: seconds of processor time that it used while it waited for its turn.
        peak_bytes: the most memory of its life so far.
    """

    seconds: float
    updates: int
    rows: int
    source_tokens: int
    target_tokens: int
    padded: int
    idle_cpu: float
    peak_bytes: int


@dataclass(frozen=True)
class Trained:
    """A system and all its turns.

    Args:
        contender: who.
        parameters: numbers it learns.
        versions: of what it is made of.
        turns: one per round.
    """

    contender: Contender
    parameters: int
    versions: dict[str, str]
    turns: tuple[Turn, ...]

    @property
    def samples(self) -> Samples:
        """Seconds per target token, round by round."""
        return Samples(tuple(turn.seconds / turn.target_tokens for turn in self.turns))

    @property
    def tokens_per_second(self) -> float:
        """Target tokens per second, the median of the rounds."""
        return 1 / self.samples.median

    @property
    def tokens_per_update(self) -> float:
        """Target tokens per update."""
        return self._sum("target_tokens") / self._sum("updates")

    @property
    def rows_per_update(self) -> float:
        """Sentences per update."""
        return self._sum("rows") / self._sum("updates")

    @property
    def padded_per_update(self) -> float:
        """What the budget counts, per update."""
        return self._sum("padded") / self._sum("updates")

    @property
    def peak_bytes(self) -> int:
        """The most memory of the process."""
        return self.turns[-1].peak_bytes

    @property
    def restless(self) -> bool:
        """Whether it used the processor while others were to have it."""
        idle = median(turn.idle_cpu / turn.seconds for turn in self.turns)
        return idle > IDLE_SHARE

    def _sum(self, name: str) -> int:
        return sum(getattr(turn, name) for turn in self.turns)


@dataclass(frozen=True)
class TrainingRace:
    """An architecture, trained by everybody present.

    Args:
        architecture: what.
        trained: by name.
        absent: why a system is not in ``trained``.
        comparisons: the outcome of each duel.
    """

    architecture: Architecture
    trained: dict[str, Trained]
    absent: dict[str, str]
    comparisons: tuple[Comparison, ...]

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The goals and what came of them."""
        return tuple(compared(self.comparisons, f"{self.architecture.name}, training"))


@dataclass(frozen=True)
class TrainingSettings:
    """What the user asked for.

    Args:
        quick: fewer and shorter rounds.
        only: names of architectures; empty for all.
        repeats: rounds; None for the usual number.
        threads: of everybody.
        max_tokens: the budget of a batch.
        data: files of pairs; none for the grammar.
        environments: where the environments of the peers are.
    """

    quick: bool = False
    only: tuple[str, ...] = ()
    repeats: int | None = None
    threads: int = 2
    max_tokens: int = 4096
    data: tuple[Path, ...] = ()
    environments: Path = Path(".bench-nmt")


@dataclass(frozen=True)
class TrainingReport:
    """A whole run."""

    machine: Machine
    settings: TrainingSettings
    corpus: Prepared
    races: tuple[TrainingRace, ...]
    load_at_end: tuple[float, float, float]

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """All goals."""
        return tuple(verdict for race in self.races for verdict in race.verdicts)

    @property
    def summary(self) -> str:
        """How many goals were met, in one line."""
        return summarised(self.verdicts)
