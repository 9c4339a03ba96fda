"""Going on with a run: its checkpoint, known to be whole, and its settings for what is new now."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor

from regard.data.batches import BatchConfig
from regard.errors import ChoiceError, DamagedError, RangeError
from regard.storage import checkpoint as checkpoints
from regard.storage.checkpoint import RESUME, Resumption
from regard.storage.skeleton import require_model, skeleton

from .config import Budget, RunConfig
from .objective import Objective
from .progress import Progress
from .run import MODEL
from .schedules import Planned
from .update import groups

MOMENTS = {"adamw": ("exp_avg", "exp_avg_sq"), "sgd": ("momentum_buffer",)}
"""Of a parameter, each of its shape, as optimisers keep them."""


def load_run(folder: Path, config: type[RunConfig] = RunConfig) -> Resumption[RunConfig]:
    """The whole run in a checkpoint.

    Raises:
        DamagedError: a file is missing, cut short or changed, or is not that of such a run.
        StorageError: the model is only to be used, or another version of regard wrote it.
    """
    found = checkpoints.load_to_resume(folder, config, require_model)
    try:
        _require_state(found)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise DamagedError(
            f"{folder / RESUME} is damaged: it is no state of its run ({error}); use another "
            "checkpoint"
        ) from None
    return found


def _require_state(found: Resumption[RunConfig]) -> None:
    config, state = found.config, found.resume
    with torch.device("meta"):
        model = skeleton(config.model, tensors=len(found.model), source=found.folder)
        objective = config.task.objective(model)
    needed = {
        name: tensor
        for name, tensor in objective.state_dict().items()
        if config.average or not name.startswith(MODEL)
    }
    _require_alike(needed, state["learning"])
    _require_moments(objective, found)
    if not isinstance(state["data"], dict) or not isinstance(state["scaler"], dict):
        raise TypeError("a part of it is missing")
    progress = Progress()
    progress.load_state_dict(state["progress"])
    if not progress.step == found.step >= 0:
        raise ValueError(f"it is of step {progress.step} and of step {found.step}")


def _require_alike(needed: Mapping[str, Tensor], found: Mapping[str, Tensor]) -> None:
    if needed.keys() != found.keys():
        raise LookupError(f"not these: {', '.join(sorted(needed.keys() ^ found.keys())[:3])}")
    for name, tensor in needed.items():
        _require_shape(name, found[name], tensor)


def _require_moments(objective: Objective[Any], found: Resumption[RunConfig]) -> None:
    """The optimiser's state is of the parameters that there are."""
    state: dict[str, Any] = found.resume["optimiser"]
    here = [group["params"] for group in groups(objective, found.config.optimisation)]
    there = [group["params"] for group in state["param_groups"]]
    if [len(group) for group in here] != [len(group) for group in there]:
        raise ValueError("its optimiser is of other parameters")
    parameters = [parameter for group in here for parameter in group]
    optimisation = found.config.optimisation
    for number, of_one in state["state"].items():
        for name in MOMENTS[optimisation.method]:
            if optimisation.method == "adamw" or optimisation.momentum:
                _require_shape(f"{name} of {number}", of_one[name], parameters[number])
        if optimisation.method == "adamw":
            _require_shape(f"step of {number}", of_one["step"], torch.empty((), device="meta"))


def _require_shape(name: str, found: Tensor, needed: Tensor) -> None:
    if found.shape != needed.shape:
        raise ValueError(f"{name} is {tuple(found.shape)} and not {tuple(needed.shape)}")


def shared_out(config: BatchConfig, position: Mapping[str, Any], count: int) -> BatchConfig:
    """The batches of a run that is resumed, cut for another number of processes.

    All processes together keep their budget, so that the run goes on with the same batches.

    Args:
        config: of the run as it was saved.
        position: the ``state_dict`` of its batches.
        count: how many processes there are now.

    Raises:
        RangeError: the budget cannot be divided by them.
    """
    budgets = {
        "max_tokens": position.get("tokens_of_all_ranks"),
        "max_rows": position.get("rows_of_all_ranks"),
    }
    given = {name: budget for name, budget in budgets.items() if isinstance(budget, int)}
    for name, budget in given.items():
        if budget % count:
            raise RangeError(
                f"{count} processes need a batch that they can share evenly, and this run has "
                f"{name} {budget} for all of them; resume with a number that divides it"
            )
    shares = {name: budget // count for name, budget in given.items()}
    return config.model_copy(update=shares)


Ending = TypeVar("Ending", bound=Planned)
"""A schedule that ends."""


def replanned(config: RunConfig, budget: Budget | None, *, step: int) -> RunConfig:
    """The settings to go on with: what is said of the budget is another, the rest stays.

    A schedule that comes down to its end with the budget comes down with the new one, as if it had
    been planned so from the beginning. One that has come to its end cannot be undone.

    Args:
        config: of the run so far.
        budget: what is to be different.
        step: how far the run is.

    Raises:
        ChoiceError: more steps are asked for, and the rate is zero by now.
    """
    chosen = config.budget.changed(budget)
    schedule = config.optimisation.schedule
    if isinstance(schedule, Planned) and chosen.steps is not None:
        if schedule(step) == 0 and step >= schedule.steps and chosen.steps > step:
            raise ChoiceError(
                f"this run has come to the end of its schedule: after step {schedule.steps} its "
                "rate is zero, and more steps would change nothing; go on from its weights in a "
                "new run, with --init-from"
            )
        planned = schedule.steps == config.budget.steps  # it ends with the budget
        if planned or chosen.steps > schedule.steps:
            schedule = _until(schedule, chosen.steps)
    optimisation = config.optimisation.model_copy(update={"schedule": schedule})
    return config.model_copy(update={"budget": chosen, "optimisation": optimisation})


def _until(schedule: Ending, steps: int) -> Ending:
    warmup = min(schedule.warmup, steps - 1)
    return schedule.model_copy(update={"steps": steps, "warmup": warmup})
