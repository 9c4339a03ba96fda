"""What to type to go on with a run that has ended: a line that really goes on."""

import math
import shlex
from pathlib import Path

from regard.tasks.translation.validation import Measure

from ...tasks.translation import FileData
from ...training.config import RunConfig
from ...training.loop import reached
from ...training.progress import Progress
from ...training.run import Run
from ...training.schedules import Planned

BEST: dict[Measure, float] = {"loss": 0.0, "bleu": 100.0, "chrf": 100.0, "exact": 1.0}
"""The value of a measure that cannot be bettered."""


def going_on(run: Run, folder: Path) -> str:
    """The command that goes on with a run.

    Every limit that was reached is raised; where a schedule has come down to zero there is nothing
    to go on with but the weights.
    """
    schedule = run.config.optimisation.schedule
    limits = reached(run.config.budget, run)
    if "steps" in limits and isinstance(schedule, Planned) and not schedule(run.progress.step):
        return _from(run.config, folder)
    raised = [f"--{name} {_raised(name, run.config, run.progress)}" for name in limits]
    return " ".join(["regard train --resume", shlex.quote(str(folder)), *raised])


def _raised(name: str, config: RunConfig, progress: Progress) -> str:
    """A higher limit than the one that was reached."""
    budget = config.budget
    if name == "goal":
        best = BEST[config.measure]
        now = abs(progress.best or 0.0)
        return f"{best + (now - best) / 2:.4g}"
    if name == "minutes":
        return f"{2 * math.ceil(max(budget.minutes or 0, progress.seconds / 60)):g}"
    now = progress.step if name == "steps" else progress.stale
    return str(2 * max(now, getattr(budget, name)))


def _from(config: RunConfig, folder: Path) -> str:
    words = ["regard", "train", "--from", str(folder)]
    if isinstance(config.data, FileData):
        words += _files(config.data)
    return shlex.join([*words, "--steps", str(config.budget.steps)])


def _files(data: FileData) -> list[str]:
    """The files of a run as they would be said again."""
    said = {
        "--data": data.train,
        "--valid": data.valid,
        "--columns": tuple(map(str, data.columns or ())),
        "--alignments": (data.alignments,) if data.alignments else (),
        "--valid-alignments": (data.valid_alignments,) if data.valid_alignments else (),
    }
    return [word for option, files in said.items() if files for word in (option, *files)]
