"""A run's checkpoint to go on with, known to be whole before anything is built for it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from regard.errors import DamagedError
from regard.storage import checkpoint as checkpoints
from regard.storage.checkpoint import RESUME, Resumption
from regard.storage.skeleton import require_model, skeleton

from .config import RunConfig
from .objective import Objective
from .optimisation import groups
from .progress import Progress
from .run import MODEL

MOMENTS = ("exp_avg", "exp_avg_sq")
"""Of a parameter, each of its shape, as Adam keeps them."""


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
    for number, of_one in state["state"].items():
        for name in MOMENTS:
            _require_shape(f"{name} of {number}", of_one[name], parameters[number])
        _require_shape(f"step of {number}", of_one["step"], torch.empty((), device="meta"))


def _require_shape(name: str, found: Tensor, needed: Tensor) -> None:
    if found.shape != needed.shape:
        raise ValueError(f"{name} is {tuple(found.shape)} and not {tuple(needed.shape)}")
