"""A system in a race: a name, the mechanisms it can compute, and how."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib.util import find_spec

from torch import Tensor

from ..case import Case
from ..inputs import Inputs

Forward = Callable[[], Tensor]
Builder = Callable[[Case, Inputs], Forward]


@dataclass(frozen=True)
class System:
    """One contender.

    Args:
        name: what it is called in tables.
        note: one line on what exactly runs.
        builders: mechanism to the function that prepares it; preparing is not timed.
        module: what must be importable, if anything.
        around: a context that each call runs in, backward included.
        same_answer: whether it computes the same function as the others in its races.
    """

    name: str
    note: str
    builders: Mapping[str, Builder]
    module: str | None = None
    around: Callable[[], AbstractContextManager[object]] = nullcontext
    same_answer: bool = True

    def available(self) -> bool:
        """Whether the package it needs is installed; nothing is imported."""
        return self.module is None or find_spec(self.module) is not None

    def can(self, case: Case) -> bool:
        """Whether it knows the case's mechanism."""
        return case.mechanism in self.builders

    def build(self, case: Case, inputs: Inputs) -> Forward:
        """A call without arguments that computes the context from ``inputs``."""
        return self.builders[case.mechanism](case, inputs)
