"""Weights averaged over the steps of a run, which are better than those of any single step."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn

from regard.errors import RangeError
from regard.types import Tensor


class Averaged:
    r"""The exponential moving average of a module's parameters.

    .. math:: \bar\theta_t = d_t \bar\theta_{t-1} + (1 - d_t) \theta_t, \quad
              d_t = \min\!\left(d, \tfrac{1 + t}{10 + t}\right)

    The decay grows in the first steps, so that where the run began is soon forgotten.

    Args:
        module: whose parameters; they are averaged in place, name by name.
        decay: d, how much of the average stays in each step; 0 does without an average.
    """

    def __init__(self, module: nn.Module, decay: float) -> None:
        if not 0 <= decay < 1:
            raise RangeError(f"an average needs a decay from 0 to below 1, got {decay}")
        self.decay = decay
        self._parameters = dict(module.named_parameters())
        first = {parameter: name for name, parameter in self._parameters.items()}
        self._names = {
            name: first[parameter]
            for name, parameter in module.named_parameters(remove_duplicate=False)
        }
        self._averages = {
            name: parameter.detach().clone()
            for name, parameter in self._parameters.items()
            if decay
        }

    @torch.no_grad()
    def update(self, step: int) -> None:
        """Take the parameters after ``step`` updates into the average."""
        if not self.decay:
            return
        decay = min(self.decay, (1 + step) / (10 + step))
        averages = list(self._averages.values())
        current: list[Tensor] = [self._parameters[name] for name in self._averages]
        torch._foreach_lerp_(averages, current, 1 - decay)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """The averages are the module's parameters, until the end of the block."""
        if not self.decay:
            yield
            return
        self._exchange()
        try:
            yield
        finally:
            self._exchange()

    @torch.no_grad()
    def _exchange(self) -> None:
        for name, parameter in self._parameters.items():
            average = self._averages[name]
            kept = parameter.detach().clone()
            parameter.copy_(average)
            average.copy_(kept)

    def state_dict(self) -> dict[str, Tensor]:
        """The averages by the names of the parameters, tied ones under each of theirs."""
        return {name: self._averages[first] for name, first in self._names.items() if self.decay}

    @torch.no_grad()
    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        """Go on with these averages."""
        for name, average in self._averages.items():
            average.copy_(state[name])
