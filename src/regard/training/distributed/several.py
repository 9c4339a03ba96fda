"""What processes of a run have in common, however the model is spread over them."""

from typing import Any

import torch
import torch.distributed as dist

from regard.types import Tensor

from ..objective import Objective
from ..processes import Plain, Processes
from . import talk


class Several(Processes):
    """One of several processes, each with its share of every batch.

    Args:
        objective: what is trained; the same in all of them.
        device: where this one computes.
    """

    def __init__(self, objective: Objective[Any], device: torch.device) -> None:
        super().__init__(objective, device)
        self.rank = dist.get_rank()
        self.count = dist.get_world_size()

    def total(self, numbers: Tensor) -> Tensor:
        """The sum over all processes."""
        return talk.total(numbers)

    def told(self, value: Plain) -> Plain:
        """What the first process says, in all of them."""
        return talk.told(value, self.device)

    def anywhere(self, claim: bool) -> bool:
        """Whether it is so in any process."""
        claims: Any = self.total(torch.tensor(float(claim), device=self.device))
        return claims.item() > 0
