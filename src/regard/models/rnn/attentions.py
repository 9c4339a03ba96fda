"""Attentions of the current state, in one manner: one step at a time, or all steps at once."""

from abc import abstractmethod
from typing import NamedTuple, Protocol

import torch

from regard.nn import Choice, HardAttention, LocalAttention, LuongAttention, Memory
from regard.types import Float, Tensor


class StepResult(NamedTuple):
    """What was seen of one step per sequence, or of many: then there is an axis of steps."""

    context: Float[Tensor, "B *T E"]
    weights: Float[Tensor, "B *T S"] | None
    log_prob: Float[Tensor, "B *T"] | None = None
    """Of a position that was drawn, where a loss needs to know."""
    entropy: Float[Tensor, "B *T"] | None = None


class Looking(Protocol):
    """An attention of Luong's decoder."""

    def prepare(self, keys: Tensor, mask: Tensor) -> Memory:
        """The memory of a source."""

    @abstractmethod
    def one_step(self, state: Float[Tensor, "B H"], memory: Memory, *, step: int) -> StepResult:
        """What the state of one step sees."""

    @abstractmethod
    def all_steps(
        self, states: Float[Tensor, "B T H"], memory: Memory, *, step: int, aligned: bool
    ) -> StepResult:
        """What all states see, the first of them that of ``step``; weights only if ``aligned``."""


class GlobalLooking(LuongAttention):
    """At all of the source."""

    def one_step(self, state: Float[Tensor, "B H"], memory: Memory, *, step: int) -> StepResult:
        """The same in every step."""
        return StepResult(*self(state, memory))

    def all_steps(
        self, states: Float[Tensor, "B T H"], memory: Memory, *, step: int, aligned: bool
    ) -> StepResult:
        """Fused where no weights are asked for."""
        if not aligned:
            return StepResult(self.contexts(states, memory), None)
        return StepResult(*self.look(states, memory, score=self.score()))


class LocalLooking(LocalAttention):
    """At a window of the source."""

    def one_step(self, state: Float[Tensor, "B H"], memory: Memory, *, step: int) -> StepResult:
        """The window of this step, or a predicted one."""
        return StepResult(*self(state, memory, step=step))

    def all_steps(
        self, states: Float[Tensor, "B T H"], memory: Memory, *, step: int, aligned: bool
    ) -> StepResult:
        """All windows at once; weights over all of the source are written only if asked for."""
        if not aligned:
            return StepResult(self.contexts(states, memory, step=step), None)
        steps = torch.arange(step, step + states.shape[1], device=states.device)
        return StepResult(*self(states, _once_for_all_steps(memory), step=steps.unsqueeze(0)))


class HardLooking(HardAttention):
    """At one position of the source."""

    def one_step(self, state: Float[Tensor, "B H"], memory: Memory, *, step: int) -> StepResult:
        """A position drawn in training, the likeliest otherwise."""
        return self._told(self.sample(state, memory))

    def all_steps(
        self, states: Float[Tensor, "B T H"], memory: Memory, *, step: int, aligned: bool
    ) -> StepResult:
        """A position for every step."""
        return self._told(self.samples(states, memory))

    def _told(self, choice: Choice) -> StepResult:
        if self.estimator != "reinforce":
            return StepResult(choice.context, choice.weights)
        return StepResult(choice.context, choice.weights, choice.log_prob, choice.entropy)


def _once_for_all_steps(memory: Memory) -> Memory:
    """A memory with an axis for steps, which share it."""
    return memory._replace(key=memory.key.unsqueeze(1), value=memory.value.unsqueeze(1))


def stacked(results: list[StepResult]) -> StepResult:
    """Single steps side by side."""
    context, weights, log_prob, entropy = (
        None if parts[0] is None else torch.stack(parts, dim=1)  # (B, T, ·)
        for parts in zip(*results, strict=True)
    )
    assert context is not None
    return StepResult(context, weights, log_prob, entropy)
