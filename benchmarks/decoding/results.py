"""What was measured of decoding, as plain values, and the verdicts on it."""

from dataclasses import dataclass
from pathlib import Path
from statistics import median

from ..machine import Machine
from ..results import Comparison, Verdict, compared, summarised
from ..timing import Samples
from ..training.results import IDLE_SHARE
from .contenders import Way
from .prepare import Prepared

UNTRAINED_LENGTH = 32
"""Tokens of every answer of a model that does not know where to end."""


@dataclass(frozen=True)
class Turn:
    """What a system did while the others slept.

    Args:
        seconds: how long it translated.
        sentences: how many.
        tokens: that it wrote.
        idle_cpu: seconds of processor time that it used while it waited for its turn.
        peak_bytes: the most memory of its life so far.
    """

    seconds: float
    sentences: int
    tokens: int
    idle_cpu: float
    peak_bytes: int


@dataclass(frozen=True)
class Decoded:
    """All turns of a system in one way.

    Args:
        turns: one per round.
        agreement: share of its answers that equal ours, token by token.
    """

    turns: tuple[Turn, ...]
    agreement: float

    @property
    def samples(self) -> Samples:
        """Seconds per token, round by round."""
        return Samples(tuple(turn.seconds / turn.tokens for turn in self.turns))

    @property
    def tokens_per_second(self) -> float:
        """Tokens per second, the median of the rounds."""
        return 1 / self.samples.median

    @property
    def peak_bytes(self) -> int:
        """The most memory of the process so far."""
        return self.turns[-1].peak_bytes

    @property
    def restless(self) -> bool:
        """Whether it used the processor while others were to have it."""
        return median(turn.idle_cpu / turn.seconds for turn in self.turns) > IDLE_SHARE


@dataclass(frozen=True)
class DecodingRace:
    """One way to translate, everybody present.

    Args:
        way: how.
        decoded: by name.
        absent: why a system is not in ``decoded``.
        comparisons: the outcome of each duel.
    """

    way: Way
    decoded: dict[str, Decoded]
    absent: dict[str, str]
    comparisons: tuple[Comparison, ...]

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The goals and what came of them."""
        return tuple(compared(self.comparisons, self.way.title))


@dataclass(frozen=True)
class DecodingSettings:
    """What the user asked for.

    Args:
        quick: fewer rounds.
        only: names of ways; empty for all.
        repeats: rounds; None for the usual number.
        threads: of everybody.
        length: tokens of every answer; None: as the model likes, or 32 of random weights.
        model: the folder of a run; None for random weights.
        data: files of pairs; none for the grammar.
        environments: where the environments of the peers are.
    """

    quick: bool = False
    only: tuple[str, ...] = ()
    repeats: int | None = None
    threads: int = 2
    length: int | None = None
    model: Path | None = None
    data: tuple[Path, ...] = ()
    environments: Path = Path(".bench-nmt")

    @property
    def forced(self) -> int | None:
        """Tokens of every answer; ``None``: a model that was trained knows where to end."""
        return UNTRAINED_LENGTH if self.length is None and self.model is None else self.length


@dataclass(frozen=True)
class DecodingReport:
    """A whole run."""

    machine: Machine
    settings: DecodingSettings
    prepared: Prepared
    versions: dict[str, dict[str, str]]
    races: tuple[DecodingRace, ...]
    load_at_end: tuple[float, float, float]

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """All goals."""
        return tuple(verdict for race in self.races for verdict in race.verdicts)

    @property
    def summary(self) -> str:
        """How many goals were met, in one line."""
        return summarised(self.verdicts)
