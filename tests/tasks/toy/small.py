"""Settings of a run of the sorter, small enough for a test."""

from regard.task_registry import TASKS
from regard.training import Budget, Settings
from tasks.toy.task import SortingTask

if "sorting" not in TASKS:
    TASKS.add("sorting", "tasks.toy")


def settings(steps, **changes):
    rates = {"optimisation": {"rate": 0.02}, "batch": {"max_tokens": 192}}
    usual = {"save_every": 5, "validate_every": 40, "log_every": 1, **rates}
    return Settings(task=SortingTask(), budget=Budget(steps=steps), **usual | changes)
