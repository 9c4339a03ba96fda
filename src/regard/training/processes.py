"""One training process; :mod:`.distributed` implements the same interface for several."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

import torch
from torch import nn
from torch.optim import Optimizer

from regard.types import Tensor

from .objective import Objective

Plain = TypeVar("Plain", bound=str | float | int | bool | dict[str, Any] | None)


class Processes:
    """One process that does everything by itself, and what several of them do differently.

    Args:
        objective: what is trained; it is moved to ``device``.
        device: where to compute.
    """

    rank = 0
    """Which of them this is, counted from 0."""
    count = 1
    """How many there are."""

    def __init__(self, objective: Objective[Any], device: torch.device) -> None:
        self.device = device
        self.own = objective.to(device)
        """The objective itself."""
        self.objective: nn.Module = self.own
        """The same as it must be called in a step."""

    @property
    def first(self) -> bool:
        """Whether this is the one that writes and speaks."""
        return self.rank == 0

    def total(self, numbers: Tensor) -> Tensor:
        """The sum over all processes."""
        return numbers

    def broadcast(self, value: Plain) -> Plain:
        """What the first process says, in all of them."""
        return value

    def any_process(self, claim: bool) -> bool:
        """Whether it is so in any process."""
        return claim

    def no_gradient_sync(self) -> AbstractContextManager[None]:
        """Inside the block, gradients stay with their process."""
        return nullcontext()

    def clip(self, longest: float | None) -> Tensor:
        """Shorten the gradient to ``longest``, and give the length that it had."""
        limit = float("inf") if longest is None else longest
        return nn.utils.clip_grad_norm_(self.own.parameters(), limit)

    def gathered(self) -> AbstractContextManager[Objective[Any]]:
        """The whole objective as it is now, any method of which the first process may call.

        All must enter the block; what is learned in it is lost.
        """
        return nullcontext(self.own)

    def whole(self, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        """Tensors that may be spread over the processes, each in one piece; all must call it."""
        return tensors

    def cut(self, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        """Tensors of the model in one piece, each as this process has it: undoes :meth:`whole`."""
        return tensors

    def state_dict(self, optimiser: Optimizer) -> dict[str, Any]:
        """Everything learned, whole, for the first process to save; all must call it."""
        return {"objective": self.own.state_dict(), "optimiser": optimiser.state_dict()}

    def load_state_dict(self, state: dict[str, Any], optimiser: Optimizer) -> None:
        """Go on with what was learned."""
        self.own.load_state_dict(state["objective"])
        optimiser.load_state_dict(state["optimiser"])
        lay_out_moments(optimiser)


def lay_out_moments(optimiser: Optimizer) -> None:
    """Put what is known of each weight into the order in memory that the weight has.

    A stored tensor is contiguous, a convolution's weight may lie channels last, and the fused
    update goes through both as they lie.
    """
    for parameter, known in optimiser.state.items():
        for name, found in known.items():
            alike = isinstance(found, Tensor) and found.shape == parameter.shape
            if alike and found.stride() != parameter.stride():
                known[name] = torch.empty_like(parameter, dtype=found.dtype).copy_(found)
