"""Where this process stands among those that ``torchrun`` started together."""

import itertools
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.rendezvous import rendezvous

from regard.errors import InputError

from .failure import Tally

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
def joined(device: torch.device) -> Iterator[Tally]:
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
