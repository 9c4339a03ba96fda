"""What is minimised: a batch, its loss, and the module that computes one from the other."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import torch
from torch import nn

from regard.types import Float, Int, Tensor

if TYPE_CHECKING:
    from regard.lens.scene import Scene

EXAMINED = 8
"""Examples of a scene at most."""
B = TypeVar("B", bound="Batch")
# The checker of the tests knows typing.Self only where it decorates whole classes.
Same = TypeVar("Same", bound="Batch")


@runtime_checkable
class Batch(Protocol):
    """Some examples side by side."""

    @property
    def num_targets(self) -> int:
        """What is predicted in this step over all ranks, so that every rank takes the same mean."""

    @property
    def indices(self) -> Int[Tensor, " B"]:
        """The number of each example in its corpus, for messages."""

    def to(self: Same, device: torch.device) -> Same:
        """The batch on another device."""


class Loss(NamedTuple):
    """Sums over the targets of one batch."""

    total: Float[Tensor, ""]
    """What is minimised; the only one with a gradient."""
    parts: Mapping[str, Float[Tensor, ""]]
    """What else is logged, by name; ``nll`` is what a progress display shows."""


class Objective(nn.Module, Generic[B]):
    """A model together with what it is trained for, as one module."""

    model: Any
    """What is trained."""

    @abstractmethod
    def forward(self, batch: B) -> Loss:
        """The loss of one batch."""

    @abstractmethod
    def empty_batch(self) -> B:
        """A batch with nothing to predict: every parameter's gradient is zero."""

    def scene(self, batch: B) -> "Scene | None":
        """Some examples of a batch as an examination runs the model on them, if it can be."""
        return None

    def after_step(self, means: Mapping[str, float]) -> None:
        """Note that a step was made, and the mean of each part of its loss, over all ranks."""

    def blocks(self) -> list[nn.Module]:
        """Parts of the model that may be sharded one by one; without any, it is as a whole."""
        found = getattr(self.model, "blocks", list)
        return list(found())
