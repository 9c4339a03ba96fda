"""What a suite will measure, as plain values: races, curves and probes."""

from dataclasses import dataclass
from typing import Literal

from .case import Case
from .goals import Goal
from .race import Race


@dataclass(frozen=True)
class Curve:
    """One system at several N: time from the races, memory from a child process each.

    Args:
        quantity: what grows.
        system: whose.
        cases: one per N.
        goal: what the exponent should be, if the suite claims anything here.
    """

    quantity: Literal["time", "memory"]
    system: str
    cases: tuple[Case, ...]
    goal: Goal | None = None


@dataclass(frozen=True)
class Probe:
    """One call in a child process, judged by its own memory and time.

    Args:
        title: what is computed.
        system: who computes it.
        case: on what.
        peak: goal on the memory in MB.
        seconds: goal on the time.
    """

    title: str
    system: str
    case: Case
    peak: Goal | None = None
    seconds: Goal | None = None


@dataclass(frozen=True)
class Suite:
    """A chapter of the report.

    Args:
        name: as in ``--only``.
        title: what it is about.
        note: how fairness was kept.
    """

    name: str
    title: str
    note: str
    races: tuple[Race[Case], ...] = ()
    curves: tuple[Curve, ...] = ()
    probes: tuple[Probe, ...] = ()
