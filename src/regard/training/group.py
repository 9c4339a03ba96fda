"""The processes that make a run together, before there is anything to train."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from .config import Spread
from .distributed import world
from .distributed.several import broadcast
from .distributed.world import World, chosen_device, fail_together
from .objective import Objective
from .processes import Processes


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
            from .distributed.sharded import Sharded

            return Sharded(objective, self.device)
        from .distributed.replicated import Replicated

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
    here = world.started()
    place = chosen_device(device, here)
    if here.count == 1:
        yield Group(place)
        return
    with world.joined(place) as tally, fail_together(tally):
        yield GroupOfSeveral(place, here)
