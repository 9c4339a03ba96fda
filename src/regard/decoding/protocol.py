"""What decoding asks of a model, and nothing else."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, runtime_checkable

import torch

from regard.types import Float, Int, Tensor


@runtime_checkable
class StepDecoder(Protocol):
    """A model that writes one token at a time: every :class:`regard.models.Seq2Seq` is one.

    Its states have ``reorder(rows)``, see :class:`regard.models.State`. What steps return is
    decoding's own from then on: logits are written over.
    """

    def start(self, source: Int[Tensor, "B S"], source_lengths: Int[Tensor, " B"]) -> Any:
        """The state before the first token."""

    def step(self, tokens: Int[Tensor, " B"], state: Any) -> tuple[Float[Tensor, "B V"], Any]:
        """Logits of the next token after ``tokens``, and the state behind them."""

    def looked(self, state: Any) -> Float[Tensor, "B S"] | None:
        """Where the last step looked; ``None`` where a model does not look."""


@contextmanager
def still(model: StepDecoder) -> Iterator[None]:
    """Within: nothing is dropped and nothing is recorded for gradients; behind: as it was."""
    training = [module for module in getattr(model, "modules", tuple)() if module.training]
    for module in training:
        module.training = False
    try:
        with torch.inference_mode():
            yield
    finally:
        for module in training:
            module.training = True


def device_of(model: StepDecoder) -> torch.device:
    """Where the model's parameters are; the CPU, if it has none."""
    parameters: Iterable[Tensor] = getattr(model, "parameters", tuple)()
    return next((parameter.device for parameter in parameters), torch.device("cpu"))
