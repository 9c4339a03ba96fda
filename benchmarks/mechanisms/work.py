"""The process of one cell: ``python -m benchmarks.mechanisms.work FOLDER``.

Trains what ``cell.json`` says in ``run/``, or goes on where it ended, and writes ``result.json``.
"""

import json
import resource
import sys
import time
from pathlib import Path

import torch

from regard.models import Seq2SeqConfig
from regard.storage.run_folder import RunFolder
from regard.tasks.translation.predictor import load_translator
from regard.training import Observer, Settings, launch, relaunch
from regard.training.run import Ending, Run
from regard.training.task import Validation
from regard.training.update import Update

from ..files import write_json
from .cell import Cell
from .plan import translation
from .results import Result
from .scoring import scored
from .sizes import count
from .warmth import warm_up

CELL, RUN, SPENT, RESULT = "cell.json", "run", "spent.json", "result.json"
INTERRUPTED = 130


class Watch(Observer):
    """Times updates alone, and adds what earlier stretches of the run took.

    Args:
        path: the file with the sums.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        before = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        self.tokens: int = before.get("tokens", 0)
        self.seconds: float = before.get("seconds", 0.0)
        self.peak_bytes: int = before.get("peak_bytes", 0)
        self.steps = 0
        self.trained = 0.0
        self._last = 0.0

    def started(self, run: Run) -> None:
        """The clock starts."""
        self._last = time.perf_counter()

    def updated(self, run: Run, update: Update) -> None:
        """What passed since the last event was one update."""
        now = time.perf_counter()
        self.seconds += now - self._last
        self.tokens += update.targets
        self._last = now

    def validated(self, run: Run, validation: Validation, *, best: bool) -> None:
        """Does not count."""
        self._last = time.perf_counter()

    def saved(self, run: Run, path: Path) -> None:
        """Does not count."""
        self._last = time.perf_counter()

    def ended(self, run: Run, ending: Ending) -> None:
        """Write the sums."""
        unit = 1 if sys.platform == "darwin" else 1024
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
        self.peak_bytes = max(self.peak_bytes, peak)
        self.steps, self.trained = run.progress.step, run.progress.seconds
        sums = {"tokens": self.tokens, "seconds": self.seconds, "peak_bytes": self.peak_bytes}
        write_json(self._path, sums)


def work(folder: Path) -> Ending:
    """Train and measure; a run that was interrupted has no result yet.

    Raises:
        RegardError: bad data, a full disk, a loss that is no number.
    """
    cell = Cell.model_validate_json((folder / CELL).read_text(encoding="utf-8"))
    torch.set_num_threads(cell.threads)
    warm_up(cell.run)
    watch = Watch(folder / SPENT)
    ending = trained(cell, folder / RUN, watch)
    if ending != "interrupted":
        translator = load_translator(folder / RUN)
        fields = scored(
            translator,
            cell.test.held_out(),
            edges=cell.test.edges,
            link_above=translation(cell.run).link_above,
        )
        model = cell.run.model
        assert isinstance(model, Seq2SeqConfig)
        result = Result(
            parameters=count(model),
            updates=watch.steps,
            minutes=watch.trained / 60,
            tokens_per_second=watch.tokens / watch.seconds if watch.seconds else 0.0,
            peak_bytes=watch.peak_bytes,
            **fields,
        )
        write_json(folder / RESULT, result.model_dump(mode="json"))
    return ending


def trained(cell: Cell, folder: Path, watch: Watch) -> Ending:
    """Begin the run, or go on with it."""
    if RunFolder(folder).steps:
        return relaunch(folder, observer=watch, device="cpu")
    settings = Settings(**{name: getattr(cell.run, name) for name in Settings.model_fields})
    changes = cell.run.model.model_dump()
    return launch(settings, cell.preset, folder, changes=changes, observer=watch, device="cpu")


if __name__ == "__main__":
    sys.exit(INTERRUPTED if work(Path(sys.argv[1])) == "interrupted" else 0)
