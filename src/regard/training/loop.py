"""The training loop: update, log, validate, save, until the budget is spent.

:class:`RunRecorder` does what a run leaves behind: lines of its log, the best weights, checkpoints.
Signals ask a run to end: it finishes its step, saves, and goes.
"""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice, repeat
from types import FrameType
from typing import Any

from regard.data.batches import Batches
from regard.storage.run_folder import RunFolder

from .config import Budget
from .log import Log
from .objective import Batch
from .progress import Progress
from .run import Ending, Observer, Run, seed_step
from .update import Update

ENDINGS: dict[signal.Signals, Ending] = {
    signal.SIGINT: "interrupted",
    signal.SIGTERM: "terminated",
}
"""What each signal ends a run as."""
if hasattr(signal, "SIGHUP"):  # the terminal was closed
    ENDINGS[signal.SIGHUP] = "hung up"


class Interruption:
    """Whether the run was asked to end, and by which signal."""

    def __init__(self) -> None:
        self.signal: signal.Signals | None = None

    def __bool__(self) -> bool:
        return self.signal is not None

    @property
    def ending(self) -> Ending | None:
        """What the run ends as; ``None`` if it was not asked to end."""
        return None if self.signal is None else ENDINGS[self.signal]

    def take(self, number: int, frame: FrameType | None = None) -> None:
        """Note a signal; the second one ends the process as if nothing had been arranged.

        Raises:
            KeyboardInterrupt: this is the second, and Control-C.
            SystemExit: this is the second.
        """
        if self.signal is None:
            self.signal = signal.Signals(number)
        elif number == signal.SIGINT:
            raise KeyboardInterrupt
        else:
            raise SystemExit(128 + number)


@contextmanager
def awaited() -> Iterator[Interruption]:
    """Inside the block, signals to end are noted instead of obeyed.

    Those that are ignored stay so, as ``nohup`` asks for. Only the main thread can do so; in
    another one, nothing is ever noted.
    """
    noted = Interruption()
    if threading.current_thread() is not threading.main_thread():
        yield noted
        return
    heard = [one for one in ENDINGS if signal.getsignal(one) is not signal.SIG_IGN]
    before = {number: signal.signal(number, noted.take) for number in heard}
    try:
        yield noted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class RunRecorder:
    """Logs, validates and saves; in all processes but the first it only takes part.

    Args:
        run: whose.
        folder: for checkpoints; ``None`` keeps none.
        log: for numbers; ``None`` keeps none.
        observer: who is told.
        resumed: whether the run as it is came from a checkpoint.
    """

    def __init__(
        self,
        run: Run,
        *,
        folder: RunFolder | None,
        log: Log | None,
        observer: Observer,
        resumed: bool = False,
    ) -> None:
        self.run = run
        self.folder = folder
        self.log = log
        self.observer = observer
        self._saved = run.progress.state_dict() if resumed else None
        observer.started(run)

    def updated(self, update: Update) -> None:
        """Tell of a step, and write a line if one is due."""
        self.observer.updated(self.run, update)
        progress = self.run.progress
        if self.log is not None and progress.step % self.run.config.log_every == 0:
            self.log.write(
                progress.step,
                kind="train",
                **flat(update),
                seconds=round(progress.seconds, 3),
            )

    def validate(self) -> None:
        """Measure the model with its averaged weights; keep it if it is the best so far."""
        run = self.run
        if run.progress.validated == run.progress.step:
            return
        with run.average.in_place(), run.processes.gathered() as whole:
            validation = run.validator.validate(whole.model) if run.processes.first else None
        best = validation is not None and run.progress.take(validation, run.measure)
        run.progress.load_state_dict(run.processes.broadcast(run.progress.state_dict()))
        if validation is not None:
            self.observer.validated(run, validation, best=best)
            if self.log is not None:
                self.log.write(run.progress.step, kind="valid", **validation.scores, best=best)
        if run.processes.broadcast(best):
            self._save(best=True)

    def save(self) -> None:
        """Write a checkpoint, unless the last one has everything."""
        progress = self.run.progress.state_dict()
        if progress != self._saved:
            self._save(best=False)
            self._saved = progress

    def end(self, ending: Ending) -> None:
        """Tell that the run is over."""
        self.observer.ended(self.run, ending)

    def _save(self, *, best: bool) -> None:
        checkpoint = self.run.checkpoint()
        if self.folder is None:
            return
        if self.log is not None:
            self.log.sync()
        write = self.folder.save_best if best else self.folder.save
        self.observer.saved(self.run, write(checkpoint))


def flat(update: Update) -> dict[str, float]:
    """The numbers of an update, parts of the loss beside the others."""
    numbers = update._asdict()
    return {"loss": numbers.pop("loss"), **numbers.pop("parts"), **numbers}


SPENT: tuple[Ending, ...] = ("steps", "minutes", "patience", "goal")
"""Endings after which the model is measured once more; a signal is obeyed at once."""


def train(run: Run, recorder: RunRecorder, interruption: Interruption) -> Ending:
    """Train until the budget is spent or a signal comes, and save.

    What is on the disk at any moment is a state that a run can be resumed from to the same end.

    Args:
        run: what to train; it may be in the middle.
        recorder: logs, validates, saves and tells.
        interruption: becomes true when the run is to end.

    Raises:
        DivergedError: a step whose loss is no number; it was not made, and nothing is saved.
        StorageError: the disk is full; the last checkpoint is untouched.
    """
    clock = Clock(run.progress)
    ending = stop_reason(run, interruption)
    if ending is not None:  # the run was resumed, and there is nothing left to do
        return finish(ending, recorder)
    for batches in grouped(run.batches, run.config.optimisation.accumulate):
        update = run_update(run, batches)
        clock.tick()
        recorder.updated(update)
        ending = stop_reason(run, interruption)
        if is_due(run.progress.step, run.config.validate_every):
            recorder.validate()
            clock.tick()
            ending = ending or stop_reason(run, interruption)
        if ending is not None:
            return finish(ending, recorder)
        if is_due(run.progress.step, run.config.save_every):
            recorder.save()
    raise AssertionError("batches never end")


def finish(ending: Ending, recorder: RunRecorder) -> Ending:
    """Measure the model once more if there is time, save, and tell."""
    if ending in SPENT:
        recorder.validate()
    recorder.save()
    recorder.end(ending)
    return ending


def run_update(run: Run, batches: list[Batch]) -> Update:
    """One update, and the counters after it."""
    step = run.progress.step + 1
    seed_step(seed=run.config.seed, step=step, rank=run.processes.rank)
    update = run.updater.update(step, batches)
    run.average.update(step)
    run.progress.step = step
    run.progress.targets += update.targets
    return update


def stop_reason(run: Run, interruption: Interruption) -> Ending | None:
    """Why the run ends now; ``None`` if it goes on. All processes decide alike."""
    if run.processes.any_process(bool(interruption)):
        asked = interruption.ending  # perhaps not here
        return next(one for one in ENDINGS.values() if run.processes.any_process(asked == one))
    return run.processes.broadcast(budget_reached(run.config.budget, run))


def budget_reached(budget: Budget, run: Run) -> Ending | None:
    """Which limit of the budget is reached."""
    return next(iter(limits_reached(budget, run)), None)


def limits_reached(budget: Budget, run: Run) -> list[Ending]:
    """All limits of the budget that are reached."""
    progress = run.progress
    limits: dict[Ending, bool] = {
        "goal": budget.goal is not None and progress.has_reached(budget.goal, run.measure),
        "patience": budget.patience is not None and progress.stale >= budget.patience,
        "steps": budget.steps is not None and progress.step >= budget.steps,
        "minutes": budget.minutes is not None and progress.seconds >= 60 * budget.minutes,
    }
    return [ending for ending, is_reached in limits.items() if is_reached]


def is_due(step: int, every: int) -> bool:
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
