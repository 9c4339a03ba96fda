"""Collectives that DDP and FSDP share: sums, broadcast, any."""

import json
from typing import Any

import torch
import torch.distributed as dist

from regard.types import Tensor

from ..objective import Objective
from ..processes import Plain, Processes


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
        summed = numbers.detach().clone()
        dist.all_reduce(summed)
        return summed

    def broadcast(self, value: Plain) -> Plain:
        """What the first process says, in all of them."""
        return broadcast(value, self.device)

    def any_process(self, claim: bool) -> bool:
        """Whether it is so in any process."""
        claims: Any = self.total(torch.tensor(float(claim), device=self.device))
        return claims.item() > 0


def broadcast(value: Any, device: torch.device) -> Any:
    """What the first process says, in all of them; all must call it.

    Sent as plain JSON, so that nothing that comes can be code.

    Args:
        value: what JSON can hold; only that of the first process counts.
        device: where the processes meet.
    """
    said = json.dumps(value).encode() if dist.get_rank() == 0 else b""
    length = torch.tensor([len(said)], device=device)
    dist.broadcast(length, src=0)
    content = torch.zeros(int(length), dtype=torch.uint8, device=device)
    if said:
        content.copy_(torch.frombuffer(bytearray(said), dtype=torch.uint8))
    dist.broadcast(content, src=0)
    return json.loads(bytes(content.tolist()))
