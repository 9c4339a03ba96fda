"""Several models that write one text together."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import nn

from regard.errors import ChoiceError, ShapeError
from regard.types import Float, Int, Tensor

from .protocol import Steady, StepDecoder


class EnsembleState(NamedTuple):
    """A state of each model."""

    states: tuple[Any, ...]

    def reorder(self, rows: Int[Tensor, " b"]) -> "EnsembleState":
        """The state of these elements of the batch."""
        return EnsembleState(tuple(state.reorder(rows) for state in self.states))


class Ensemble(nn.Module):
    r"""Models of one vocabulary, whose probabilities are averaged.

    .. math:: p(y) = \sum_m w_m\, p_m(y)

    Sutskever et al. 2014, section 3.6 (https://arxiv.org/abs/1409.3215). Itself what decoding asks
    for, with any strategy.

    Args:
        models: at least one.
        weights: w, one for each; equal if not given.

    Raises:
        ChoiceError: no model, or not one weight for each.
    """

    def __init__(self, models: Sequence[StepDecoder], weights: Sequence[float] = ()) -> None:
        super().__init__()
        if not models or len(weights) not in (0, len(models)):
            raise ChoiceError(
                f"an ensemble needs a model and as many weights as models, got {len(models)} "
                f"models and {len(weights)} weights"
            )
        self.models = list(models)
        self.parts = nn.ModuleList(model for model in models if isinstance(model, nn.Module))
        shares = torch.tensor(weights or [1.0] * len(models), dtype=torch.float64)
        self.logs = (shares / shares.sum()).log()

    def start(self, prompt: Any, lengths: Int[Tensor, " B"]) -> EnsembleState:
        """The state of each."""
        return EnsembleState(tuple(model.start(prompt, lengths) for model in self.models))

    def step(
        self, tokens: Int[Tensor, " B"], state: EnsembleState
    ) -> tuple[Float[Tensor, "B V"], EnsembleState]:
        """Logarithms of the mean probabilities.

        Raises:
            ShapeError: vocabularies of different sizes.
        """
        said, states = zip(
            *(
                model.step(tokens, own)
                for model, own in zip(self.models, state.states, strict=True)
            ),
            strict=True,
        )
        if len({logits.shape[-1] for logits in said}) > 1:
            raise ShapeError(
                "an ensemble needs models of one vocabulary, got "
                f"{', '.join(str(logits.shape[-1]) for logits in said)} tokens"
            )
        logs = torch.stack([torch.log_softmax(logits, dim=-1) for logits in said])  # (m, B, V)
        shares = self.logs.to(logs)[:, None, None]
        return torch.logsumexp(logs + shares, dim=0), EnsembleState(tuple(states))

    def last_weights(self, state: EnsembleState) -> Float[Tensor, "B S"] | None:
        """The mean of where they looked; ``None`` if one of them does not look."""
        found = [
            model.last_weights(own) for model, own in zip(self.models, state.states, strict=True)
        ]
        looks = [weights for weights in found if weights is not None]
        return torch.stack(looks).mean(dim=0) if len(looks) == len(found) else None

    def steady(self) -> "Ensemble":
        """The twins of all that have one."""
        twins = [m.steady() if isinstance(m, Steady) else m for m in self.models]
        return Ensemble(twins, self.logs.exp().tolist())
