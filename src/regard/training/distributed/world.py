"""The processes that ``torchrun`` started: rank, device, broadcast, and how all of them fail."""

import itertools
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol, runtime_checkable

import torch
import torch.distributed as dist
from torch.distributed.rendezvous import rendezvous

from regard.devices import resolve
from regard.errors import DeviceError, InputError
from regard.training.config import Spread
from regard.training.objective import Objective
from regard.training.processes import Processes

from .several import broadcast

FAILED = 1
"""Exit code of a process that ends because another one failed."""
_FAILURES = "regard/failures"


@runtime_checkable
class Tally(Protocol):
    """What all processes count together, such as the store that they met at."""

    def add(self, key: str, amount: int) -> int:
        """Count on, and give the count that it came to."""


@contextmanager
def fail_together(tally: Tally) -> Iterator[None]:
    """The first process that fails in the block raises its error, the others end without a word.

    One mistake mostly fails them all: the same bad file, the same step without a number, or a
    neighbour that is gone. Processes that wait for one that failed are ended by ``torchrun``.

    Args:
        tally: of all processes.

    Raises:
        SystemExit: another process failed before this one.
    """
    try:
        yield
    except Exception:
        if not _first_to_fail(tally):
            raise SystemExit(FAILED) from None
        raise


def _first_to_fail(tally: Tally) -> bool:
    try:
        return tally.add(_FAILURES, 1) == 1
    except RuntimeError:  # the tally went with the process that kept it, which failed before
        return False


PATIENCE = timedelta(hours=2)
"""How long processes wait for one of them that reads data, validates or saves."""
BACKENDS = {"cpu": "gloo", "cuda": "nccl"}
"""How processes talk, by the kind of device that they compute on."""
_MEETINGS = itertools.count()
_LEFT: list[object] = []
"""Groups that are left, kept until the process ends: to be freed, gloo's waits for its threads
while it keeps Python from running, and one that just then lets go of a tensor waits for Python."""
_NAMES = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE")


@dataclass(frozen=True)
class World:
    """This process among all, and among those of its machine."""

    rank: int = 0
    count: int = 1
    local_rank: int = 0
    local_count: int = 1


def started(environment: Mapping[str, str] = os.environ) -> World:
    """What ``torchrun`` says in the environment; one process alone if it says nothing.

    Raises:
        InputError: a part is missing or is no number.
    """
    if "RANK" not in environment:
        return World()
    try:
        return World(*(int(environment[name]) for name in _NAMES))
    except (KeyError, ValueError):
        came = ", ".join(f"{name}={environment.get(name, 'not set')}" for name in _NAMES)
        raise InputError(
            f"several processes need whole numbers in {', '.join(_NAMES)}, got {came}; start them "
            "with torchrun, or unset RANK to train in one process"
        ) from None


@contextmanager
def _met(device: torch.device) -> Iterator[Tally]:
    """Inside the block, processes talk to each other; gives what they can count together.

    Args:
        device: where this process computes.
    """
    if device.type == "cuda":
        torch.cuda.set_device(device)
    store, rank, count = next(rendezvous("env://", timeout=PATIENCE))
    # Processes that meet a second time must not find what they left at the store the first time.
    store = dist.PrefixStore(f"regard/{next(_MEETINGS)}", store)  # type: ignore[attr-defined]
    dist.init_process_group(
        BACKENDS[device.type], store=store, rank=rank, world_size=count, timeout=PATIENCE
    )
    try:
        yield store
    finally:
        _LEFT.append(dist.group.WORLD)
        dist.destroy_process_group()


def chosen_device(name: str | None, world: World) -> torch.device:
    """The device of this name; the first GPU or else the CPU if there is none.

    Several processes on one machine take one GPU each.

    Args:
        name: as torch has them: ``cpu``, ``cuda``, ``cuda:1``, ``mps``.
        world: who this process is.

    Raises:
        DeviceError: no such device, or not enough of them.
    """
    if world.count == 1:
        return resolve(name)
    if name is not None and name not in BACKENDS:
        raise DeviceError(
            f"several processes need the device cpu or cuda, without a number, got {name!r}; each "
            "of them takes the GPU of its own number"
        )
    device = resolve(name)
    if device.type != "cuda":
        return device
    _require_gpus(world)
    return torch.device("cuda", world.local_rank)


def _require_gpus(world: World) -> None:
    found = torch.cuda.device_count()
    if found < world.local_count:
        raise DeviceError(
            f"{world.local_count} processes on cuda need {world.local_count} GPUs on this machine, "
            f"and torch finds {found}; start fewer with --nproc-per-node, or compute on cpu"
        )


class Group:
    """One process by itself.

    Args:
        device: where to compute.
    """

    rank = 0
    count = 1

    def __init__(self, device: torch.device) -> None:
        self.device = device

    @property
    def first(self) -> bool:
        """Whether this is the one that writes and speaks."""
        return self.rank == 0

    def broadcast(self, value: Any) -> Any:
        """What the first process says, in all of them."""
        return value

    def processes(self, objective: Objective[Any], spread: Spread) -> Processes:
        """Take part with an objective."""
        return Processes(objective, self.device)


class GroupOfSeveral(Group):
    """One of several processes that can talk to each other.

    Args:
        device: where this one computes.
        world: which of them it is.
    """

    def __init__(self, device: torch.device, world: World) -> None:
        super().__init__(device)
        self.rank = world.rank
        self.count = world.count

    def broadcast(self, value: Any) -> Any:
        """What the first process says, in all of them."""
        return broadcast(value, self.device)

    def processes(self, objective: Objective[Any], spread: Spread) -> Processes:
        """Take part with an objective, the whole of it or a share."""
        # Imported here, since it takes its time, and one process alone needs none of it.
        if spread == "sharded":
            from .sharded import Sharded

            return Sharded(objective, self.device)
        from .replicated import Replicated

        return Replicated(objective, self.device)


@contextmanager
def joined(device: str | None = None) -> Iterator[Group]:
    """The group that this process was started in: by ``torchrun`` with others, or else alone.

    If processes fail inside the block, one of them says why, and all end.

    Args:
        device: where to compute; a GPU if there is one, if not given.

    Raises:
        ChoiceError: no such device, or not as many of them as processes.
    """
    here = started()
    place = chosen_device(device, here)
    if here.count == 1:
        yield Group(place)
        return
    with _met(place) as tally, fail_together(tally):
        yield GroupOfSeveral(place, here)
