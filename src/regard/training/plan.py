"""What a run is about to do, in five lines, and what to type to go on with it once it has ended."""

import math
import shlex
from pathlib import Path

import torch

from regard.models.build import kind_of

from .config import RunConfig
from .loop import limits_reached
from .run import Run
from .schedules import Planned


def plan_of(run: Run, folder: Path | None = None) -> list[str]:
    """What was chosen, by whom ever.

    Args:
        run: before its next step.
        folder: where it is kept.
    """
    config, task = run.config, run.config.task
    parameters = sum(one.numel() for one in run.processes.own.model.parameters())
    where = "" if folder is None else f" in {folder}"
    again = f", from step {run.progress.step:,}" if run.progress.step else ""
    optimisation = config.optimisation
    return [
        f"Data: {task.about_data or task.kind}",
        f"Codec: {task.about_codec(run.codec)}",
        f"Training {kind_of(config.model)} ({parameters:,} parameters){where}{again}, {_on(run)}",
        f"Batches of {config.batch.max_tokens:,} {task.units.batch}, {optimisation.accumulate} per "
        f"update; {optimisation.schedule.kind} schedule; {optimisation.precision}; "
        f"seed {config.seed}",
        _times(run),
    ]


def left_out(run: Run) -> list[str]:
    """How many pairs are too long, if any."""
    counts = {
        "examples": run.batches.pools.left_out,
        "validation examples": run.validator.left_out,
    }
    return [
        f"left out {count:,} {what} that are longer than a batch (--batch-tokens) or than the "
        "model takes"
        for what, count in counts.items()
        if count
    ]


def _on(run: Run) -> str:
    """Where it computes."""
    threads = torch.get_num_threads()
    several = f" in each of {run.processes.count} processes" if run.processes.count > 1 else ""
    return f"on {run.processes.device} with {threads} thread{'s' * (threads > 1)}{several}"


def _times(run: Run) -> str:
    """The rate, and what happens when."""
    config = run.config
    budget, rate = config.budget, config.optimisation
    limits = {
        "updates": budget.steps and f"{budget.steps:,} updates",
        "minutes": budget.minutes and f"{budget.minutes:g} minutes",
        "patience": budget.patience and f"{budget.patience} validations without a new best",
        "goal": budget.goal is not None and f"{config.measure} {budget.goal:g}",
    }
    ends = " or ".join(str(limit) for limit in limits.values() if limit)
    return (
        f"Rate {rate.rate:g} after {rate.schedule.warmup:,} updates of warm-up; validation on "
        f"{run.validator.size:,} examples every {config.validate_every:,} updates, checkpoints "
        f"every {config.save_every:,}" + (f"; ends after {ends}" if ends else "")
    )


def going_on(run: Run, folder: Path) -> str:
    """The command that goes on with a run.

    Every limit that was reached is raised; where a schedule has come down to zero there is nothing
    to go on with but the weights.
    """
    schedule = run.config.optimisation.schedule
    limits = limits_reached(run.config.budget, run)
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
