"""The training loop: update, log, validate, save, until the budget is spent."""

import time
from collections.abc import Iterator
from itertools import islice, repeat
from typing import Any

from regard.data.batches import Batches

from .config import Budget
from .interruption import ENDINGS, Interruption
from .keeper import Keeper
from .objective import Batch
from .observer import Ending
from .progress import Progress
from .randomness import seed_step
from .run import Run
from .update import Update

SPENT: tuple[Ending, ...] = ("steps", "minutes", "patience", "goal")
"""Endings after which the model is measured once more; a signal is obeyed at once."""


def train(run: Run, keeper: Keeper, interruption: Interruption) -> Ending:
    """Train until the budget is spent or a signal comes, and save.

    What is on the disk at any moment is a state that a run can be resumed from to the same end.

    Args:
        run: what to train; it may be in the middle.
        keeper: logs, validates, saves and tells.
        interruption: becomes true when the run is to end.

    Raises:
        DivergedError: a step whose loss is no number; it was not made, and nothing is saved.
        StorageError: the disk is full; the last checkpoint is untouched.
    """
    clock = Clock(run.progress)
    ending = over(run, interruption)
    if ending is not None:  # the run was resumed, and there is nothing left to do
        return ended(ending, keeper)
    for batches in grouped(run.batches, run.config.optimisation.accumulate):
        update = made(run, batches)
        clock.tick()
        keeper.updated(update)
        ending = over(run, interruption)
        if due(run.progress.step, run.config.validate_every):
            keeper.validate()
            clock.tick()
            ending = ending or over(run, interruption)
        if ending is not None:
            return ended(ending, keeper)
        if due(run.progress.step, run.config.save_every):
            keeper.save()
    raise AssertionError("batches never end")


def ended(ending: Ending, keeper: Keeper) -> Ending:
    """Measure the model once more if there is time, save, and tell."""
    if ending in SPENT:
        keeper.validate()
    keeper.save()
    keeper.end(ending)
    return ending


def made(run: Run, batches: list[Batch]) -> Update:
    """One update, and the counters after it."""
    step = run.progress.step + 1
    seed_step(seed=run.config.seed, step=step, rank=run.processes.rank)
    update = run.updater.update(step, batches)
    run.average.update(step)
    run.progress.step = step
    run.progress.targets += update.targets
    return update


def over(run: Run, interruption: Interruption) -> Ending | None:
    """Why the run ends now; ``None`` if it goes on. All processes decide alike."""
    if run.processes.anywhere(bool(interruption)):
        asked = interruption.ending  # perhaps not here
        return next(one for one in ENDINGS.values() if run.processes.anywhere(asked == one))
    return run.processes.told(spent(run.config.budget, run))


def spent(budget: Budget, run: Run) -> Ending | None:
    """Which limit of the budget is reached."""
    return next(iter(reached(budget, run)), None)


def reached(budget: Budget, run: Run) -> list[Ending]:
    """All limits of the budget that are reached."""
    progress = run.progress
    limits: dict[Ending, bool] = {
        "goal": budget.goal is not None and progress.has_reached(budget.goal, run.measure),
        "patience": budget.patience is not None and progress.stale >= budget.patience,
        "steps": budget.steps is not None and progress.step >= budget.steps,
        "minutes": budget.minutes is not None and progress.seconds >= 60 * budget.minutes,
    }
    return [ending for ending, is_reached in limits.items() if is_reached]


def due(step: int, every: int) -> bool:
    """Whether something that happens every so many steps happens now."""
    return step % every == 0


def grouped(batches: Batches[Any], size: int) -> Iterator[list[Batch]]:
    """As many batches as an update takes, epoch after epoch."""
    endless = (batch for _ in repeat(None) for batch in batches)
    while True:
        yield list(islice(endless, size))


class Clock:
    """Adds the time that passes to a run's."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._last = time.monotonic()

    def tick(self) -> None:
        """Add what has passed since the last tick."""
        now = time.monotonic()
        self._progress.seconds += now - self._last
        self._last = now
