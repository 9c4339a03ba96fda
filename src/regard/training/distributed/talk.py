"""Small values that processes tell each other: plain JSON, so that nothing told can be code."""

import json
from typing import Any

import torch
import torch.distributed as dist

from regard.types import Tensor


def told(value: Any, device: torch.device) -> Any:
    """What the first process says, in all of them; all must call it.

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


def total(numbers: Tensor) -> Tensor:
    """The sum over all processes; all must call it."""
    summed = numbers.detach().clone()
    dist.all_reduce(summed)
    return summed
