"""What a run is about to do, in five lines: data, codec, model, batches, and when it ends."""

from pathlib import Path

import torch

from regard.models.build import kind_of

from .run import Run


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
        f"Batches of {config.batch.max_tokens:,} padded tokens, {optimisation.accumulate} per "
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
