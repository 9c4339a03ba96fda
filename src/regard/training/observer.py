"""Who is told how a run goes."""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from .run import Run
from .task import Validation
from .update import Update

Ending = Literal["steps", "minutes", "patience", "goal", "interrupted", "terminated", "hung up"]
"""Why a run ended: a limit of its budget, or a signal: SIGINT, SIGTERM, SIGHUP."""


class Observer:
    """Is told what happens, and by default does nothing about it."""

    def started(self, run: Run) -> None:
        """The first step is about to be made."""

    def updated(self, run: Run, update: Update) -> None:
        """A step was made."""

    def validated(self, run: Run, validation: Validation, *, best: bool) -> None:
        """The model was measured."""

    def saved(self, run: Run, path: Path) -> None:
        """A checkpoint is on the disk."""

    def ended(self, run: Run, ending: Ending) -> None:
        """The last checkpoint is on the disk."""

    def closed(self) -> None:
        """The run is over, one way or the other."""


class Observers(Observer):
    """Several of them, told one after the other."""

    def __init__(self, observers: Iterable[Observer]) -> None:
        self._all = tuple(observers)

    def started(self, run: Run) -> None:
        """Tell all."""
        for one in self._all:
            one.started(run)

    def updated(self, run: Run, update: Update) -> None:
        """Tell all."""
        for one in self._all:
            one.updated(run, update)

    def validated(self, run: Run, validation: Validation, *, best: bool) -> None:
        """Tell all."""
        for one in self._all:
            one.validated(run, validation, best=best)

    def saved(self, run: Run, path: Path) -> None:
        """Tell all."""
        for one in self._all:
            one.saved(run, path)

    def ended(self, run: Run, ending: Ending) -> None:
        """Tell all."""
        for one in self._all:
            one.ended(run, ending)

    def closed(self) -> None:
        """Tell all."""
        for one in self._all:
            one.closed()
