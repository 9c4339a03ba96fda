"""What a measured number should be, and whether it is."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .amounts import amount, bound

Relation = Literal["≥", "≤", "<"]
State = Literal["met", "missed", "unmeasured"]


@dataclass(frozen=True)
class Goal:
    """A bound on one number.

    Args:
        relation: how the number should stand to the bound.
        bound: the bound itself, in ``unit``.
        unit: ``"×"`` for a ratio, ``""`` for an exponent, else the unit's symbol.
    """

    relation: Relation
    bound: float
    unit: str = "×"

    def met(self, value: float) -> bool:
        """Whether ``value`` keeps the bound; a NaN never does."""
        if self.relation == "≥":
            return value >= self.bound
        if self.relation == "<":
            return value < self.bound
        return value <= self.bound

    def __str__(self) -> str:
        return f"{self.relation} {bound(self.bound, self.unit)}"

    def verdict(self, value: float | None) -> str:
        """Goal, mark and value: ``≥ 30× ✓ 61.2×``; ``?`` for None, ``✗ failed`` for NaN."""
        if value is None:
            return f"{self} ? not measured"
        if math.isnan(value):
            return f"{self} ✗ failed"
        return f"{self} {'✓' if self.met(value) else '✗'} {amount(value, self.unit)}"


def at_least(bound: float, unit: str = "×") -> Goal:
    """The number should be ``bound`` or more."""
    return Goal("≥", bound, unit)


def at_most(bound: float, unit: str = "×") -> Goal:
    """The number should be ``bound`` or less."""
    return Goal("≤", bound, unit)


def under(bound: float, unit: str) -> Goal:
    """The number should be less than ``bound``."""
    return Goal("<", bound, unit)


@dataclass(frozen=True)
class Verdict:
    """One goal and what came of it."""

    what: str
    goal: Goal
    value: float | None

    @property
    def state(self) -> State:
        """Met, missed, or unmeasured because somebody is not installed or cannot do it."""
        if self.value is None:
            return "unmeasured"
        return "met" if self.goal.met(self.value) else "missed"


def summarised(verdicts: Sequence[Verdict]) -> str:
    """How many goals were met, in one line."""
    states = [verdict.state for verdict in verdicts]
    judged = states.count("met") + states.count("missed")
    line = f"goals met: {states.count('met')} of {judged}"
    unmeasured = states.count("unmeasured")
    return f"{line} ({unmeasured} not measured)" if unmeasured else line
