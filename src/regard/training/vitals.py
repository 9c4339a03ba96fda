"""Health of attention during training: measured every so often, logged, warned about."""

import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from regard.types import PathLike, Tensor

from . import log as logs
from .objective import Batch
from .run import Observer, Run
from .task import Validation
from .update import Update

if TYPE_CHECKING:
    from regard.lens.doctor import Chart, Diagnosis
    from regard.lens.scene import Scene

FILE, LOG = "vitals.jsonl", "log.jsonl"
SHARE = 0.01
"""Of the time of a run that examinations may take."""
FIRST = 0.25
"""Seconds that the first of them is held to take; then it is known."""
EVERY = 100


class Vitals(Observer):
    """Examines one batch every so often, and not for more than a hundredth of the time.

    Each line of ``vitals.jsonl`` has the step, the loss, the mean entropy of weights (in parts of
    the largest), the largest score, by how much of its size the last update moved what attention
    learns, and names of causes that the doctor found. The batch is the first one that was learned
    from, a few rows of it. A run of several processes is not examined: none has the whole model.

    Args:
        folder: of the run; a file is made once there is a line to write.
        every: updates between two lines at least.
        share: of the time that examinations may take.
        tell: told in a line when something is wrong that was not before.
    """

    def __init__(
        self,
        folder: PathLike,
        *,
        every: int = EVERY,
        share: float = SHARE,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        self.path = Path(folder) / FILE
        self.every, self.share, self.tell = every, share, tell
        self.spent = 0.0
        self._began = time.monotonic()
        self._costs = FIRST
        self._open = ExitStack()
        self._log: logs.Log | None = None
        self._scene: Scene | None = None
        self._history: list[dict[str, Any]] = []
        self._known: set[str] = set()
        self._valid: float | None = None
        self._before: list[Tensor] = []
        self._off = True

    def started(self, run: Run) -> None:
        """Wait for a batch; what was written after the step that the run goes on from is cut."""
        from regard.lens import doctor as doctor  # takes its time, and before the run begins

        if self.path.exists():
            self._write_from(run.progress.step)
            self._history = list(logs.read(self.path))
        self._off = run.processes.count > 1
        if not self._off:
            self._await(run.processes.own)
        self._began = time.monotonic()

    def validated(self, run: Run, validation: Validation, *, best: bool) -> None:
        """Note the loss on examples held out."""
        self._valid = validation.scores.get("loss", self._valid)

    def updated(self, run: Run, update: Update) -> None:
        """Examine, if it is time and there is time."""
        if self._off or self._scene is None:
            return
        due, start = run.progress.step % self.every, time.monotonic()
        if due == self.every - 1 or self.every == 1:
            self._remember(run, due)
        if due == 0 and self.spent + self._costs <= self.share * (start - self._began):
            try:
                self._examine(run, update)
            except Exception as error:  # the run is worth more than its examination
                self._off = True
                self._tell(f"vitals: this model is not examined any more, {error}")
            self._costs = time.monotonic() - start
        self.spent += time.monotonic() - start

    def closed(self) -> None:
        """Close the file."""
        self._open.close()

    def _await(self, objective: Any) -> None:
        """Keep the first batch with several examples as a scene."""

        def keep(_: nn.Module, given: tuple[Batch, ...]) -> None:
            if len(given[0].indices) > 1:
                self._scene = objective.scene(given[0])
                handle.remove()

        handle = objective.register_forward_pre_hook(keep)
        self._open.callback(handle.remove)

    def _remember(self, run: Run, due: int) -> None:
        """What attention has learned by now, to see how far the next update moves it."""
        late = self.share * (time.monotonic() - self._began)
        if self.spent + self._costs <= late or due == 0:
            self._before = [one.detach().clone() for one in _learned(run.processes.own.model)]

    def _examine(self, run: Run, update: Update) -> None:
        from regard.lens.doctor import examine, patient_of
        from regard.lens.doctor.patient import quiet

        model, step = run.processes.own.model, run.progress.step
        assert self._scene is not None
        drawn = torch.get_rng_state()
        with quiet(model):
            patient = patient_of(
                model, self._scene, history=self._history, steps=step, learns=False
            )
            found = examine(patient)
        torch.set_rng_state(drawn)
        line: dict[str, Any] = {
            "loss": update.loss,
            "gradient_norm": update.gradient_norm,
            "update_ratio": _moved(self._before, _learned(model)),
            "entropy": _mean([float(one.entropies.nanmean()) for one in patient.charts]),
            "largest_score": _largest(patient.charts),
        }
        self._before = []
        if self._valid is not None:
            line["valid_loss"] = self._valid
        self._history.append({"step": step, **line})
        if self._log is None:
            self._write_from(step)
        assert self._log is not None
        self._log.write(step, **line, causes=found.causes)
        self._say(found)

    def _write_from(self, step: int) -> None:
        self._log = self._open.enter_context(logs.opened(self.path, step=step or None))

    def _say(self, found: "Diagnosis") -> None:
        for one in found:  # of a cause in several modules the first is told
            if one.severity == "normal" or one.cause in self._known:
                continue
            self._known.add(one.cause)
            self._tell(f"doctor: {one}")

    def _tell(self, line: str) -> None:
        if self.tell is not None:
            self.tell(line)


def history_of(folder: PathLike) -> list[dict[str, Any]]:
    """What a run's log and vitals tell the doctor, by step; nothing where there is no log.

    Args:
        folder: of a run, or of one of its checkpoints.
    """
    path = Path(folder)
    place = next((one for one in (path, path.parent) if (one / LOG).is_file()), path)
    lines: dict[int, dict[str, Any]] = {}
    for name in (LOG, FILE):
        if (place / name).is_file():
            for line in logs.read(place / name):
                own = dict(line)
                if own.get("kind") == "valid" and "loss" in own:
                    own["valid_loss"] = own.pop("loss")
                lines.setdefault(own["step"], {}).update(own)
    return [lines[step] for step in sorted(lines)]


def _learned(model: nn.Module) -> list[Tensor]:
    """The matrices inside modules that attend, each once."""
    from regard.lens import attention_modules

    modules = attention_modules(model).values()
    found = {id(one): one for part in modules for one in part.parameters() if one.dim() > 1}
    return list(found.values())


def _moved(before: list[Tensor], after: list[Tensor]) -> float | None:
    """‖ΔW‖ / ‖W‖ over all of them."""
    if len(before) != len(after) or not before:
        return None
    pairs = zip(before, after, strict=True)
    apart = sum(float((new.detach() - old).square().sum()) for old, new in pairs)
    size = sum(float(old.square().sum()) for old in before)
    return (apart / size) ** 0.5 if size else None


def _mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


def _largest(charts: "Iterable[Chart]") -> float:
    scores = [one.scores.masked_fill(~one.seen, 0) for one in charts if one.scores is not None]
    return max((float(one.abs().amax()) for one in scores), default=0.0)
