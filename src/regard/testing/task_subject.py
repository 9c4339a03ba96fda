"""The task under test, the runs that are made of it, and processes to make them in."""

import os
import signal
import socket
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from regard.storage import checkpoint as checkpoints
from regard.storage import run_folder
from regard.storage.checkpoint import Resumption
from regard.task_registry import TASKS
from regard.types import PathLike

from .checks.verdict import fail

if TYPE_CHECKING:
    from regard.models.config import ModelConfig
    from regard.training import Settings, Task
    from regard.training.config import RunConfig

STEPS, SAVED = 4, 2
"""Of a run, and between its checkpoints."""
PATIENCE = 120
"""Seconds until a process counts as hanging."""


@dataclass(frozen=True)
class TaskSubject:
    """A task under test, and what it is trained with; see :func:`regard.testing.check_task`."""

    settings: "Settings"
    model: "str | ModelConfig"
    inputs: tuple[Any, ...]
    changes: dict[str, Any]
    flawed: "tuple[Task, ...]"
    other: "Task | None"
    tolerance: float
    folder: Path

    @property
    def task(self) -> "Task":
        """What is tested."""
        return self.settings.task

    @cached_property
    def codec(self) -> Any:
        """That of its data."""
        return self.task.learn()

    @cached_property
    def config(self) -> "ModelConfig":
        """The model's, without dropout: processes drop other features."""
        from regard.models import config_from, preset_config
        from regard.training.changes import deep, nested

        sizes = self.codec.sizes()
        found = preset_config(self.model, **sizes) if isinstance(self.model, str) else self.model
        fields = deep(found.model_dump() | sizes, nested(self.changes))
        return config_from(_without_dropout(fields))

    @property
    def most(self) -> dict[str, Any]:
        """How long examples may be, as a validator is told."""
        return {"max_tokens": self.settings.batch.max_tokens, "longest": self.config.longest}

    def new_model(self) -> torch.nn.Module:
        """An untrained one, always the same."""
        from regard.models import build

        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            return build(self.config).eval()

    def short(self, *, times: int = 1) -> "Settings":
        """The settings of a short run, its batches so many times as large."""
        from regard.training import Budget

        rows = self.settings.batch.max_rows
        larger = {
            "max_tokens": times * self.settings.batch.max_tokens,
            "max_rows": None if rows is None else times * rows,
        }
        return self.settings.model_copy(
            update={
                "budget": Budget(steps=STEPS),
                "save_every": SAVED,
                "validate_every": STEPS,
                "log_every": 1,
                "batch": self.settings.batch.model_copy(update=larger),
            }
        )

    @cached_property
    def run(self) -> Path:
        """A run that nobody interrupted."""
        launched(self.short(), self.config, self.folder / "run")
        return self.folder / "run"


def _without_dropout(fields: Any) -> Any:
    if not isinstance(fields, Mapping):
        return fields
    return {
        name: 0.0 if "dropout" in name and isinstance(value, float) else _without_dropout(value)
        for name, value in fields.items()
    }


def launched(settings: "Settings", model: "ModelConfig", folder: PathLike) -> None:
    """A run on the CPU."""
    from regard.training import launch

    launch(settings, model, folder, device="cpu")


def killed(settings: "Settings", model: "ModelConfig", folder: PathLike, step: int) -> None:
    """The same, that ends like a process which the machine has no more room for."""
    from regard.training import launch
    from regard.training.run import Observer

    class Killer(Observer):
        def updated(self, run: Any, update: Any) -> None:
            if run.progress.step == step:
                os.kill(os.getpid(), signal.SIGKILL)

    launch(settings, model, folder, observer=Killer(), device="cpu")


def last(run: Path) -> "Resumption[RunConfig]":
    """The last checkpoint of a run."""
    from regard.training.config import RunConfig

    return checkpoints.load_to_resume(run_folder.places(run, "step")[-1].path, RunConfig)


def curve(run: Path) -> torch.Tensor:
    """Loss and norm of the gradient of every step, (steps, 2)."""
    from regard.training import log

    lines = [line for line in log.read(run / "log.jsonl") if line["kind"] == "train"]
    return torch.tensor([[line["loss"], line["gradient_norm"]] for line in lines])


def in_processes(count: int, function: Callable[..., None], *arguments: Any) -> list[int]:
    """Exit codes of as many processes of one run; they are forked where that can be done.

    Args:
        count: how many; several find each other like those that ``torchrun`` starts.
        function: what each of them does.
        *arguments: what it is called with.
    """
    forks = "fork" in get_all_start_methods() and not torch.cuda.is_initialized()
    context: Any = get_context("fork" if forks else "spawn")
    registered = {name: TASKS[name] for name in TASKS}
    started = [
        context.Process(target=_child, args=(each, registered, function, arguments))
        for each in _worlds(count)
    ]
    for one in started:
        one.start()
    for one in started:
        one.join(PATIENCE)
        if one.is_alive():
            for each in started:
                each.kill()
            fail(f"a process was not done after {PATIENCE} seconds")
    return [int(one.exitcode) for one in started]


def _worlds(count: int) -> Iterator[dict[str, str]]:
    """The environment of each process."""
    if count == 1:
        yield {}
        return
    with socket.socket() as free:
        free.bind(("localhost", 0))
        meeting = {"MASTER_ADDR": "localhost", "MASTER_PORT": str(free.getsockname()[1])}
    for rank in map(str, range(count)):
        sizes = dict.fromkeys(("WORLD_SIZE", "LOCAL_WORLD_SIZE"), str(count))
        yield {**meeting, **sizes, "RANK": rank, "LOCAL_RANK": rank}


def _child(
    world: Mapping[str, str],
    registered: Mapping[str, str],
    function: Callable[..., None],
    arguments: tuple[Any, ...],
) -> None:
    os.environ.update(world)
    torch.set_num_threads(1)
    for name, home in registered.items():
        if name not in TASKS:  # where it was started anew
            TASKS.add(name, home)
    function(*arguments)
