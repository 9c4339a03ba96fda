"""What decoding asks of a model, and nothing else."""

from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any, Protocol, runtime_checkable

import torch
from torch import nn

from regard.types import Float, Int, Tensor


@runtime_checkable
class StepDecoder(Protocol):
    """A model that writes one token at a time: every :class:`regard.models.Seq2Seq` is one.

    Its states have ``reorder(rows)``, see :class:`regard.models.State`. Those that also have
    ``joined(other)`` let sentences into a batch as others leave it; ``None`` says that two states
    cannot go on together. What steps return is decoding's own from then on: logits are written
    over. A model that also has ``steady()`` gives another one there, which may rely on its
    parameters until everything is decoded.
    """

    def start(self, source: Int[Tensor, "B S"], source_lengths: Int[Tensor, " B"]) -> Any:
        """The state before the first token."""

    def step(self, tokens: Int[Tensor, " B"], state: Any) -> tuple[Float[Tensor, "B V"], Any]:
        """Logits of the next token after ``tokens``, and the state behind them."""

    def last_weights(self, state: Any) -> Float[Tensor, "B S"] | None:
        """Where the last step looked; ``None`` where a model does not look."""


class Still:
    """Within: nothing is dropped and nothing is recorded for gradients; behind: as it was.

    It may be entered again and again, and finds the parts of the model once.
    """

    def __init__(self, model: StepDecoder) -> None:
        self._modules: list[nn.Module] = list(getattr(model, "modules", tuple)())
        self._within = ExitStack()

    def __enter__(self) -> None:
        training = [module for module in self._modules if module.training]
        self._within.enter_context(torch.inference_mode())
        self._within.callback(_set_training, training)
        for module in training:
            module.training = False

    def __exit__(self, *raised: object) -> None:
        self._within.close()


def _set_training(modules: list[nn.Module]) -> None:
    for module in modules:
        module.training = True


def device_of(model: StepDecoder) -> torch.device:
    """Where the model's parameters are; the CPU, if it has none."""
    parameters: Iterable[Tensor] = getattr(model, "parameters", tuple)()
    return next((parameter.device for parameter in parameters), torch.device("cpu"))
