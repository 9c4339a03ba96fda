"""The numbers of a run for TensorBoard."""

from pathlib import Path

from regard.errors import MissingExtraError
from regard.types import PathLike

from .run import Ending, Observer, Run
from .task import Validation
from .update import Update


class TensorBoard(Observer):
    """Writes events into the run's folder; ``tensorboard --logdir`` shows them.

    Args:
        folder: of the run.

    Raises:
        MissingExtraError: tensorboard is not installed.
    """

    def __init__(self, folder: PathLike) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            raise MissingExtraError("TensorBoard", "tensorboard") from None
        self._open = SummaryWriter
        self._folder = Path(folder) / "events"

    def started(self, run: Run) -> None:
        """Go on after the step the run goes on from; what came later is hidden."""
        self._writer = self._open(str(self._folder), purge_step=run.progress.step + 1)

    def updated(self, run: Run, update: Update) -> None:
        """Loss, rate and gradient, as often as the log."""
        if run.progress.step % run.config.log_every == 0:
            numbers = {"loss": update.loss, **update.parts}
            numbers |= {"gradient_norm": update.gradient_norm, "rate": update.rate}
            for name, value in numbers.items():
                self._writer.add_scalar(f"train/{name}", value, run.progress.step)

    def validated(self, run: Run, validation: Validation, *, best: bool) -> None:
        """Every measure."""
        for name, value in validation.scores.items():
            if value is not None:
                self._writer.add_scalar(f"valid/{name}", value, run.progress.step)

    def ended(self, run: Run, ending: Ending) -> None:
        """Write what is left."""
        self._writer.close()
