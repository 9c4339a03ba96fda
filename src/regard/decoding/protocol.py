"""The contract of a model that decodes step by step: start, step, reorder."""

from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any, Protocol, TypeVar, runtime_checkable

import torch
from torch import nn

from regard.types import Float, Int, Tensor

# The checker of the tests knows typing.Self only where it decorates whole classes.
Same = TypeVar("Same", bound="Joinable")


@runtime_checkable
class StepDecoder(Protocol):
    """A model that writes one token at a time: every :class:`regard.models.Seq2Seq` is one.

    Its states have ``reorder(rows)``, see :class:`regard.models.State`; they may be
    :class:`Joinable`. A model may be :class:`Steady`. What steps return is decoding's own from
    then on: logits are overwritten.
    """

    def start(self, prompt: Any, lengths: Int[Tensor, " B"], /) -> Any:
        """The state before the first token.

        Args:
            prompt: what is answered or continued: tokens (B, S), features (B, S, ...), or whatever
                the caller's :class:`~regard.decoding.Prompts` make of the sources.
            lengths: how much of each is not padding.
        """

    def step(self, tokens: Int[Tensor, " B"], state: Any) -> tuple[Float[Tensor, "B V"], Any]:
        """Logits of the next token after ``tokens``, and the state behind them."""

    def last_weights(self, state: Any) -> Float[Tensor, "B S"] | None:
        """Where the last step looked; ``None`` where a model does not look."""


@runtime_checkable
class Joinable(Protocol):
    """A state that lets sentences into a batch as others leave it."""

    def joined(self: Same, other: Same) -> Same | None:
        """The state of both batches, ``other`` behind ours; ``None`` if they cannot go together."""


@runtime_checkable
class Steady(Protocol):
    """A model with a faster twin while its parameters do not change."""

    def steady(self) -> StepDecoder:
        """The twin; it may rely on the parameters until everything is decoded."""


class Inference:
    """See :func:`inference`."""

    def __init__(self, model: object) -> None:
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


def inference(model: object) -> Inference:
    """Within: evaluation mode and no gradients; behind: as it was.

    It may be entered again and again, and finds the parts of the model once.
    """
    return Inference(model)


def _set_training(modules: list[nn.Module]) -> None:
    for module in modules:
        module.training = True


def device_of(model: object) -> torch.device:
    """Where the model's parameters are; the CPU, if it has none."""
    parameters: Iterable[Tensor] = getattr(model, "parameters", tuple)()
    return next((parameter.device for parameter in parameters), torch.device("cpu"))
