"""Trains the sorter in FOLDER for STEPS steps, or goes on; a process that can be killed."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import torch

from regard.task_registry import TASKS
from regard.training import Budget, Settings, launch, relaunch
from tasks.toy.task import SortingTask

if "sorting" not in TASKS:
    TASKS.add("sorting", "tasks.toy")


def settings(steps, **changes):
    rates = {"optimisation": {"rate": 0.02}, "batch": {"max_tokens": 192}}
    usual = {"save_every": 5, "validate_every": 40, "log_every": 1, **rates}
    return Settings(task=SortingTask(), budget=Budget(steps=steps), **usual | changes)


if __name__ == "__main__":
    torch.set_num_threads(1)
    folder, steps = Path(sys.argv[1]), int(sys.argv[2])
    if folder.exists():
        relaunch(folder, budget=Budget(steps=steps))
    else:
        launch(settings(steps), "sorter-tiny", folder)
