"""One step of a system on a case: what is timed, and what it answers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from .case import Case
from .inputs import Inputs
from .peers.system import Forward, System

Answer = tuple[Tensor, ...]


@dataclass(frozen=True)
class Step:
    """A system made ready for a case; calling it runs forward, or forward and backward."""

    system: System
    inputs: Inputs
    forward: Forward
    backward: bool

    def __call__(self) -> Tensor:
        """Run once and keep nothing but the context."""
        if not self.backward:
            with self.system.around(), torch.no_grad():
                return self.forward()
        with self.system.around():
            context = self.forward()
            torch.autograd.backward(context, self.inputs.upstream)
        self.inputs.forget_gradients()
        return context

    def answer(self) -> Answer:
        """The context and, of a backward pass, the gradients of query, key and value."""
        if not self.backward:
            return (self(),)
        self.inputs.forget_gradients()
        with self.system.around():
            context = self.forward()
            torch.autograd.backward(context, self.inputs.upstream)
        sources = (self.inputs.query, self.inputs.key, self.inputs.value)
        gradients = tuple(source.grad for source in sources if source.grad is not None)
        self.inputs.forget_gradients()
        return (context.detach(), *gradients)


def prepare(system: System, case: Case, inputs: Inputs) -> Step:
    """The system's step on the case; what it builds beforehand is not timed."""
    return Step(system, inputs, system.build(case, inputs), case.backward)


def disagreement(ours: Sequence[Tensor], theirs: Sequence[Tensor]) -> float:
    """The largest difference, as a share of the largest number of its tensor.

    Infinite if the two do not even agree in shape.
    """
    if [x.shape for x in ours] != [x.shape for x in theirs]:
        return math.inf
    shares = [
        float((mine - other).abs().max() / mine.abs().max().clamp_min(1e-30))
        for mine, other in zip(ours, theirs, strict=True)
    ]
    return max(shares)
