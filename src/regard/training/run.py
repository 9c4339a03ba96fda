"""A run in memory: everything that a step changes, and the observers that are told how it goes."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import torch
from torch import nn

from regard.data.batches import Batches
from regard.errors import ChoiceError, InputError
from regard.models import build
from regard.storage.checkpoint import Checkpoint, Resumption
from regard.storage.stored_model import codec_files
from regard.types import Tensor

from .config import RunConfig, Spread
from .objective import Objective
from .processes import Processes
from .progress import Progress
from .task import Measure, Validation, Validator
from .update import Averaged, Update, Updater


def seed_step(*, seed: int, step: int, rank: int = 0) -> None:
    """Seed torch's generators for what is drawn in one step.

    Seeding every step makes the draws of step n the same whether the run came there in one go or
    was resumed on the way, and different in every process.

    Args:
        seed: of the run.
        step: which step, 0 for what is drawn before the first.
        rank: which process.
    """
    digest = sha256(f"{seed} {step} {rank}".encode()).digest()
    torch.manual_seed(int.from_bytes(digest[:8], "little") >> 1)


MODEL = "model."
"""How names of the model's weights begin in an objective's state."""

Join = Callable[[Objective[Any], Spread], Processes]
"""Takes part with an objective."""


@dataclass
class Run:
    """What training works on; made by :func:`begin`."""

    config: RunConfig
    codec: Any
    processes: Processes
    updater: Updater
    average: Averaged
    batches: Batches[Any]
    validator: Validator
    progress: Progress = field(default_factory=Progress)

    @property
    def measure(self) -> Measure:
        """What it goes by."""
        return self.config.task.measure(self.config.measure)

    def checkpoint(self) -> Checkpoint:
        """Everything as it is now; every process must call it, and the first one saves it."""
        state = self.updater.state_dict()
        learned: dict[str, Tensor] = state.pop("objective")
        model = {
            name.removeprefix(MODEL): value
            for name, value in learned.items()
            if name.startswith(MODEL)
        }
        if self.average.decay:
            state["learning"] = learned
            model |= self.processes.whole(self.average.state_dict())
        else:
            state["learning"] = {
                name: value for name, value in learned.items() if not name.startswith(MODEL)
            }
        return Checkpoint(
            step=self.progress.step,
            config=self.config,
            model=model,
            resume={
                **state,
                "data": self.batches.state_dict(),
                "validation": self.validator.identity,
                "progress": self.progress.state_dict(),
            },
            attachments=codec_files(self.codec),
        )

    def restore(self, found: Resumption[RunConfig]) -> None:
        """Go on where a checkpoint was written.

        Raises:
            InputError: the data of the run is not what it was.
        """
        state: dict[str, Any] = dict(found.resume)
        self._require_same_validation(state.get("validation"))
        used = {f"{MODEL}{name}": value for name, value in found.model.items()}
        self.updater.load_state_dict({**state, "objective": used | state["learning"]})
        self.average.load_state_dict(self.processes.cut(found.model))
        self.batches.load_state_dict(state["data"])
        self.progress.load_state_dict(state["progress"])

    def _require_same_validation(self, there: object) -> None:
        here = self.validator.identity
        if there is not None and here != there:  # runs of older versions do not say
            raise InputError(
                f"the run was validated on other examples ({there}) than those that are there now "
                f"({here}), and its best could not be compared; bring them back, or go on from it "
                "in a new run, with --init-from"
            )


def begin(
    config: RunConfig,
    codec: Any,
    join: Join,
    weights: Mapping[str, Tensor] | None = None,
    *,
    partly: bool = False,
) -> Run:
    """A run before its first step.

    Args:
        config: all that decides how it goes.
        codec: between what the data holds and numbers.
        join: how this process takes part.
        weights: what the model begins with; drawn anew if there are none.
        partly: whether some of them may be missing, which are drawn anew.

    Raises:
        InputError: bad data.
        ChoiceError: weights of another model, or a precision that it cannot compute in here.
    """
    seed_step(seed=config.seed, step=0)
    model = build(config.model)
    if weights:
        _load(model, {**model.state_dict(), **weights} if partly else weights)
    task = config.task
    processes = join(task.objective(model), config.spread)
    longest = min(config.batch.max_tokens, config.model.longest or config.batch.max_tokens)
    run = Run(
        config=config,
        codec=codec,
        processes=processes,
        updater=Updater(processes, config.optimisation),
        average=Averaged(processes.own.model, config.average),
        batches=Batches(
            task.pools(codec, longest=longest),
            config.batch,
            rank=processes.rank,
            world_size=processes.count,
        ),
        validator=task.measured_by(config.measure).validator(
            codec, max_tokens=config.batch.max_tokens, longest=longest
        ),
    )
    run.updater.try_out()
    return run


def _load(model: nn.Module, weights: Mapping[str, Tensor]) -> None:
    try:
        model.load_state_dict(weights)
    except RuntimeError:
        raise ChoiceError(
            "the weights to go on from need the model they were trained in, and the changes make "
            "another one; change only what has no weights, as dropout"
        ) from None


Ending = Literal["steps", "minutes", "patience", "goal", "interrupted", "terminated", "hung up"]
"""Why a run ended: a limit of its budget, or a signal: SIGINT, SIGTERM, SIGHUP."""


class Observer:
    """Is told what happens, and by default does nothing about it."""

    def started(self, run: Run) -> None:
        """The first step is about to be made."""

    def updated(self, run: Run, update: Update) -> None:
        """A step was made."""

    def validated(self, run: Run, validation: Validation, *, best: bool) -> None:
        """The model was measured."""

    def saved(self, run: Run, path: Path) -> None:
        """A checkpoint is on the disk."""

    def ended(self, run: Run, ending: Ending) -> None:
        """The last checkpoint is on the disk."""

    def closed(self) -> None:
        """The run is over, one way or the other."""


class Observers(Observer):
    """Several of them, told one after the other."""

    def __init__(self, observers: Iterable[Observer]) -> None:
        self._all = tuple(observers)

    def started(self, run: Run) -> None:
        """Tell all."""
        for one in self._all:
            one.started(run)

    def updated(self, run: Run, update: Update) -> None:
        """Tell all."""
        for one in self._all:
            one.updated(run, update)

    def validated(self, run: Run, validation: Validation, *, best: bool) -> None:
        """Tell all."""
        for one in self._all:
            one.validated(run, validation, best=best)

    def saved(self, run: Run, path: Path) -> None:
        """Tell all."""
        for one in self._all:
            one.saved(run, path)

    def ended(self, run: Run, ending: Ending) -> None:
        """Tell all."""
        for one in self._all:
            one.ended(run, ending)

    def closed(self) -> None:
        """Tell all."""
        for one in self._all:
            one.closed()
