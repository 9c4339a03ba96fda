"""Every process has the whole model, and they share gradients: DDP."""

from contextlib import AbstractContextManager
from typing import Any, cast

import torch
from torch.nn.parallel import DistributedDataParallel

from ..objective import Batch, Objective
from .several import Several


class Replicated(Several):
    """The whole model in every process; gradients are averaged while they are computed.

    Li et al. 2020, PyTorch distributed (https://arxiv.org/abs/2006.15704).

    Args:
        objective: what is trained; the first process's weights are taken in all of them.
        device: where this one computes.
    """

    def __init__(self, objective: Objective[Any], device: torch.device) -> None:
        super().__init__(objective, device)
        self._shared = DistributedDataParallel(
            self.own,
            device_ids=None if device.index is None else [device],
            gradient_as_bucket_view=True,
            find_unused_parameters=not all_learn(self.own, device),
        )
        self.objective = self._shared
        # Gradients are packed anew after the first pass, in the order in which they came. With that
        # pass made here, a new run and a resumed one add up theirs in the same order ever after.
        learn_nothing(self._shared, self.own.empty_batch().to(device))

    def no_gradient_sync(self) -> AbstractContextManager[None]:
        """Inside the block, gradients stay with their process."""
        return cast(AbstractContextManager[None], self._shared.no_sync())


def learn_nothing(objective: torch.nn.Module, batch: Batch) -> None:
    """One pass back from a batch with nothing to predict: gradients of zero."""
    objective(batch).total.backward()


def all_learn(objective: Objective[Any], device: torch.device) -> bool:
    """Whether every parameter gets a gradient; under some normalisers, those of scores get none."""
    learn_nothing(objective, objective.empty_batch().to(device))
    learning = [parameter for parameter in objective.parameters() if parameter.requires_grad]
    found = all(parameter.grad is not None for parameter in learning)
    objective.zero_grad(set_to_none=True)
    return found
