"""Races of any kind: several systems do the same in turn, and ours is held against its peers.

A turn counts whatever its race is about (calls, updates, tokens); what a race compares is seconds
per unit of that.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median
from typing import Any, Generic, Literal, Protocol, TypeVar

from .goals import Goal, Verdict, summarised
from .machine import Machine
from .reasons import judged
from .settings import Settings
from .timing import Samples, differences, middle, ratio_of_medians, ratios

MICROSECONDS = 1e6

IDLE_SHARE = 0.02
"""Processor time while waiting, as a share of the time at work, that is worth a word."""

Measure = Literal["speedup", "slowdown", "overhead"]
Turn = Mapping[str, float]
"""What a system did while the others slept: ``seconds``, counts, and of a process ``idle_cpu``
(seconds of processor time while it waited) and ``peak_bytes`` (the most memory of its life)."""


class Subject(Protocol):
    """What a race is about."""

    @property
    def label(self) -> str:
        """In one line."""

    def facts(self) -> dict[str, Any]:
        """As plain data, beside the numbers of its race."""


class Judged(Protocol):
    """A part of a report that has goals."""

    @property
    def verdicts(self) -> Sequence[Verdict]:
        """The goals, and what came of them."""


What = TypeVar("What", bound=Subject)
Entrant = TypeVar("Entrant")
Part = TypeVar("Part", bound=Judged)
Ground = TypeVar("Ground")


@dataclass(frozen=True)
class Duel:
    """A comparison within a race.

    Args:
        ours: the system judged.
        peers: whom it is compared with; of several, the fastest counts.
        measure: ``"speedup"`` is peer / ours, ``"slowdown"`` ours / peer, ``"overhead"``
            ours - peer in µs.
        goal: what the number should be, if anything is claimed.
    """

    ours: str
    peers: tuple[str, ...]
    measure: Measure = "speedup"
    goal: Goal | None = None


@dataclass(frozen=True)
class Comparison:
    """The outcome of a duel.

    Args:
        duel: what was compared.
        peer: the peer that counted: the fastest of those present.
        value: from the rounds: the median of what each round gives; NaN if ours broke.
        of_medians: the same from the two medians.
        between: where the value of ever more rounds lies, 19 times of 20.
    """

    duel: Duel
    peer: str | None = None
    value: float | None = None
    of_medians: float | None = None
    between: tuple[float, float] | None = None

    @property
    def in_doubt(self) -> bool:
        """Whether more rounds might turn a goal that is met into one that is not, or back."""
        if self.duel.goal is None or self.between is None:
            return False
        low, high = self.between
        return self.duel.goal.met(low) != self.duel.goal.met(high)

    @property
    def told(self) -> str:
        """Who against whom."""
        return f"{self.duel.ours} against {self.peer or ' / '.join(self.duel.peers)}"


def compare(duel: Duel, samples: Mapping[str, Samples], absent: Mapping[str, str]) -> Comparison:
    """Ours against the fastest peer present."""
    present = [peer for peer in duel.peers if peer in samples]
    if duel.ours not in samples or not present:
        return Comparison(duel, value=judged(None, absent.get(duel.ours)))
    peer = min(present, key=lambda name: samples[name].median)
    ours, theirs = samples[duel.ours], samples[peer]
    if duel.measure == "overhead":
        apart = MICROSECONDS * (ours.median - theirs.median)
        rounds = [MICROSECONDS * seconds for seconds in differences(ours, theirs)]
        return Comparison(duel, peer, median(rounds), apart, middle(rounds))
    above, below = (ours, theirs) if duel.measure == "slowdown" else (theirs, ours)
    rounds = ratios(above, below)
    medians = ratio_of_medians(above, below)
    return Comparison(duel, peer, median(rounds), medians, middle(rounds))


@dataclass(frozen=True)
class Timed:
    """A system of a race and all its turns.

    Args:
        turns: one per round.
        unit: the count that its speed is told in.
        about: what else is known of it, as JSON.
    """

    turns: tuple[Turn, ...]
    unit: str
    about: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def samples(self) -> Samples:
        """Seconds per unit, round by round."""
        return Samples(tuple(turn["seconds"] / turn[self.unit] for turn in self.turns))

    @property
    def rate(self) -> float:
        """Units per second, the median of the rounds."""
        return 1 / self.samples.median

    @property
    def peak_bytes(self) -> int:
        """The most memory of its process."""
        return int(self.turns[-1]["peak_bytes"])

    @property
    def restless(self) -> bool:
        """Whether it used the processor while others were to have it."""
        return median(turn["idle_cpu"] / turn["seconds"] for turn in self.turns) > IDLE_SHARE

    def per(self, count: str, other: str) -> float:
        """One count over another, all turns together."""
        above, below = (sum(turn[name] for turn in self.turns) for name in (count, other))
        return above / below


def called(samples: Samples, **about: Any) -> Timed:
    """A function's calls: a turn per sample."""
    turns = tuple({"seconds": seconds, "calls": 1} for seconds in samples.seconds)
    return Timed(turns, "calls", about)


@dataclass(frozen=True)
class Race(Generic[What]):
    """Several systems on one subject, in turn.

    Args:
        what: the subject.
        systems: who takes part, in the order of the tables.
        duels: the comparisons that are reported.
    """

    what: What
    systems: tuple[str, ...]
    duels: tuple[Duel, ...] = ()


@dataclass(frozen=True)
class RaceResult(Generic[What, Entrant]):
    """What came of a race.

    Args:
        race: what was run.
        entrants: per system present, usually :class:`Timed`.
        absent: why a system is not in ``entrants``.
    """

    race: Race[What]
    entrants: Mapping[str, Entrant]
    absent: Mapping[str, str]

    @cached_property
    def samples(self) -> dict[str, Samples]:
        """Seconds per unit of everybody who was timed."""
        timed = self.entrants.items()
        return {name: entrant.samples for name, entrant in timed if isinstance(entrant, Timed)}

    @cached_property
    def comparisons(self) -> tuple[Comparison, ...]:
        """The outcome of each duel."""
        return tuple(compare(duel, self.samples, self.absent) for duel in self.race.duels)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The goals, and what came of them."""
        return tuple(
            Verdict(f"{self.race.what.label}: {one.told}", one.duel.goal, one.value)
            for one in self.comparisons
            if one.duel.goal
        )


@dataclass(frozen=True)
class Report(Generic[Part, Ground]):
    """A whole run.

    Args:
        machine: where.
        settings: what was asked for.
        parts: what came of it, race by race or suite by suite.
        ground: what all parts share: a corpus, a model, the list of systems.
        load_at_end: load averages when it was done.
    """

    machine: Machine
    settings: Settings
    parts: tuple[Part, ...]
    ground: Ground
    load_at_end: tuple[float, float, float]

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """All goals."""
        return tuple(verdict for part in self.parts for verdict in part.verdicts)

    @property
    def summary(self) -> str:
        """How many goals were met, in one line."""
        return summarised(self.verdicts)
