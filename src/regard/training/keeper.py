"""What a run leaves behind while it goes: lines of its log, the best weights, checkpoints."""

from regard.storage.run_folder import RunFolder

from .log import Log
from .observer import Ending, Observer
from .run import Run
from .update import Update


class Keeper:
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
        run.progress.load_state_dict(run.processes.told(run.progress.state_dict()))
        if validation is not None:
            self.observer.validated(run, validation, best=best)
            if self.log is not None:
                self.log.write(run.progress.step, kind="valid", **validation.scores, best=best)
        if run.processes.told(best):
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
