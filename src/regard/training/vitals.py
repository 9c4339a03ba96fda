"""How attention fares while a model learns: a line every so often, and a word when it is ill."""

import json
import os
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from regard.storage import regular
from regard.types import PathLike

from . import log as logs
from .observer import Observer
from .run import Run
from .task import Validation
from .update import Update

if TYPE_CHECKING:
    from regard.lens.doctor import Diagnosis
    from regard.lens.scene import Scene

FILE = "vitals.jsonl"
SHARE = 0.01
"""Of the time of a run that examinations may take."""


class Vitals(Observer):
    """Examines one batch every so often, and never for more than a hundredth of the time.

    Each line of ``vitals.jsonl`` has the step, the loss of the batch, the mean entropy of weights
    (in parts of the largest), the largest score, and names of causes that the doctor found.

    Args:
        folder: of the run.
        scene: makes the batch of the model as it learns; it is asked once.
        every: updates between two lines at least.
        tell: told in a line when something is wrong that was not before.
    """

    def __init__(
        self,
        folder: PathLike,
        scene: "Callable[[Any], Scene]",
        *,
        every: int = 100,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        self.path = Path(folder) / FILE
        self.every, self.tell = every, tell
        self._make = scene
        self._scene: Scene | None = None
        self._history: list[dict[str, Any]] = []
        self._spent, self._began = 0.0, time.monotonic()
        self._known: set[str] = set()
        self._valid: float | None = None

    def started(self, run: Run) -> None:
        """Begin to count the time."""
        self._began = time.monotonic()

    def validated(self, run: Run, validation: Validation, *, best: bool) -> None:
        """Note the loss on examples held out."""
        self._valid = validation.scores.get("loss", self._valid)

    def updated(self, run: Run, update: Update) -> None:
        """Examine, if it is time and there is time."""
        passed = time.monotonic() - self._began
        if run.progress.step % self.every or self._spent > SHARE * passed:
            return
        start = time.monotonic()
        self._examine(run, update)
        self._spent += time.monotonic() - start

    def _examine(self, run: Run, update: Update) -> None:
        from regard.lens.doctor import examine, patient_of
        from regard.lens.doctor.patient import quiet

        model, step = run.processes.own.model, run.progress.step
        if self._scene is None:
            self._scene = self._make(model)
        drawn = torch.get_rng_state()
        with quiet(model):
            patient = patient_of(
                model, self._scene, history=self._history, steps=step, learns=False
            )
            found = examine(patient)
        torch.set_rng_state(drawn)
        line: dict[str, Any] = {
            "step": step,
            "loss": update.loss,
            "gradient_norm": update.gradient_norm,
            "entropy": _mean([float(one.entropies.nanmean()) for one in patient.charts]),
            "largest_score": _largest(patient.charts),
        }
        if self._valid is not None:
            line["valid_loss"] = self._valid
        self._history.append(line)
        self._write({**line, "causes": found.causes})
        self._say(found)

    def _write(self, line: dict[str, Any]) -> None:
        number = regular.descriptor(self.path, flags=os.O_APPEND | os.O_CREAT)
        with os.fdopen(number, "ab") as file:
            file.write(json.dumps(line).encode() + b"\n")

    def _say(self, found: "Diagnosis") -> None:
        for one in found:  # of a cause in several modules the first is told
            if one.severity == "normal" or one.cause in self._known:
                continue
            self._known.add(one.cause)
            if self.tell is not None:
                self.tell(f"doctor: {one}")


def history_of(folder: PathLike) -> list[dict[str, Any]]:
    """What a run's log and vitals tell the doctor, by step; nothing where there is no log."""
    path = Path(folder)
    lines: dict[int, dict[str, Any]] = {}
    for name in ("log.jsonl", FILE):
        if (path / name).is_file():
            for line in logs.read(path / name):
                own = dict(line)
                if own.get("kind") == "valid" and "loss" in own:
                    own["valid_loss"] = own.pop("loss")
                lines.setdefault(own["step"], {}).update(own)
    found = [lines[step] for step in sorted(lines)]
    assert all(a["step"] < b["step"] for a, b in pairwise(found))
    return found


def _mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


def _largest(charts: Any) -> float:
    scores = [one.scores.masked_fill(~one.seen, 0) for one in charts if one.scores is not None]
    return max((float(one.abs().amax()) for one in scores), default=0.0)
