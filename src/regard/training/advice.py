"""What to type to go on with a run that has ended: a line that really goes on."""

import math
import shlex
from pathlib import Path

from .config import RunConfig
from .loop import reached
from .run import Run
from .schedules import Planned


def going_on(run: Run, folder: Path) -> str:
    """The command that goes on with a run.

    Every limit that was reached is raised; where a schedule has come down to zero there is nothing
    to go on with but the weights.
    """
    schedule = run.config.optimisation.schedule
    limits = reached(run.config.budget, run)
    if "steps" in limits and isinstance(schedule, Planned) and not schedule(run.progress.step):
        return _from(run.config, folder)
    raised = [f"--{name} {_raised(name, run)}" for name in limits]
    return " ".join(["regard train --resume", shlex.quote(str(folder)), *raised])


def _raised(name: str, run: Run) -> str:
    """A higher limit than the one that was reached."""
    budget, progress = run.config.budget, run.progress
    if name == "goal":
        best = run.measure.best
        now = abs(progress.best or 0.0)
        return f"{best + (now - best) / 2:.4g}"
    if name == "minutes":
        return f"{2 * math.ceil(max(budget.minutes or 0, progress.seconds / 60)):g}"
    now = progress.step if name == "steps" else progress.stale
    return str(2 * max(now, getattr(budget, name)))


def _from(config: RunConfig, folder: Path) -> str:
    words = ["regard", "train", "--init-from", str(folder), *config.task.flags()]
    return shlex.join([*words, "--steps", str(config.budget.steps)])
