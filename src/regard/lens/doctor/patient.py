"""What the doctor examines: modules, the model around them, and how training went."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import torch
from torch import nn

from regard.types import Float, Tensor

from ..capture import capture
from ..record import Record
from ..scene import Scene
from .chart import Chart
from .charting import charts_of

History = Sequence[Mapping[str, Any]]
"""Lines of a log: ``step``, ``loss``, ``gradient_norm``, ``valid_loss``, ``entropy``, …"""
Loss = Callable[[Tensor], Tensor]


@dataclass(frozen=True, eq=False)
class Patient:
    """All that there is to look at; what is missing is not asked for.

    Args:
        charts: modules, those nearest to the input first.
        model: what they are in.
        scene: a batch it was run on, and can be run on again.
        history: of its training, the earliest first.
        steps: updates that were made; ``None`` where that is not known.
        loss_now: of the batch, where it can be measured.
        differs: by how much two passes over the batch differ, as the model stands.
    """

    charts: tuple[Chart, ...] = ()
    model: nn.Module | None = None
    scene: Scene | None = None
    history: History = ()
    steps: int | None = None
    loss_now: float | None = None
    differs: float | None = None
    contexts: Mapping[str, Float[Tensor, "B H Q E"]] = field(default_factory=dict, repr=False)

    @cached_property
    def logits(self) -> Float[Tensor, "B N V"] | None:
        """What the model says of the batch, in evaluation."""
        return None if self.scene is None else self.rerun()

    def rerun(self, **changed: Tensor) -> Float[Tensor, "B N V"]:
        """What it says of a batch with other tokens on some sides, in evaluation."""
        assert self.scene is not None
        with torch.no_grad(), quiet(self.model):
            return self.scene.run(**changed)

    def recorded(self, **changed: Tensor) -> Record:
        """Where it looks then."""
        assert self.scene is not None
        assert self.model is not None
        with torch.no_grad(), quiet(self.model), capture(self.model) as record:
            self.scene.run(**changed)
        return record

    @property
    def norms(self) -> list[tuple[str, nn.Module]]:
        """Normalising layers of the model that have a gain."""
        if self.model is None:
            return []
        return [
            (name, module)
            for name, module in self.model.named_modules()
            if "norm" in type(module).__name__.lower()
            and isinstance(getattr(module, "weight", None), Tensor)
        ]


class quiet:  # noqa: N801
    """Inside, a model is in evaluation; afterwards each of its modules is as it was."""

    def __init__(self, model: nn.Module | None) -> None:
        self._was = [] if model is None else [(one, one.training) for one in model.modules()]

    def __enter__(self) -> None:
        for module, _ in self._was:
            module.training = False

    def __exit__(self, *_: object) -> None:
        for module, training in self._was:
            module.training = training


def patient_of(
    model: nn.Module,
    scene: Scene,
    *,
    loss: Loss | None = None,
    history: History = (),
    steps: int | None = None,
    learns: bool = True,
) -> Patient:
    """Run a model on a batch, and note all that the doctor asks for.

    Args:
        model: it is left as it was, gradients too.
        scene: the batch.
        loss: from logits to what is minimised; that of ``scene.wanted`` if not given.
        history: of its training.
        steps: updates that were made.
        learns: whether to look at gradients: a backward pass.
    """
    differs = _two_passes(model, scene)
    asks = learns and (loss is not None or scene.wanted is not None)
    with quiet(model), torch.set_grad_enabled(asks), capture(model) as record:
        logits = scene.run()
    value, gradients = None, {}
    if loss is not None or scene.wanted is not None:
        minimised = scene.loss(logits) if loss is None else loss(logits)
        value = float(minimised.detach())
        if asks:
            gradients = _gradients(model, minimised)
    charts = charts_of(model, record, scene, gradients)
    return Patient(charts, model, scene, history, steps, value, differs)


def _two_passes(model: nn.Module, scene: Scene) -> float | None:
    """How far two passes are apart, as the model stands."""
    if not any(module.training for module in model.modules()):
        return 0.0
    state = torch.get_rng_state()
    with torch.no_grad():
        first, second = scene.run(), scene.run()
    torch.set_rng_state(state)
    scale = first.abs().amax().clamp(min=1e-12)
    return float((first - second).abs().amax() / scale)


def _gradients(model: nn.Module, loss: Tensor) -> dict[int, Tensor | None]:
    """The gradient by every parameter, by its id; ``None`` where the loss does not depend on it."""
    parameters = [one for one in model.parameters() if one.requires_grad]
    if not loss.requires_grad or not parameters:
        return {}
    found = torch.autograd.grad(loss, parameters, allow_unused=True)
    return {id(one): gradient for one, gradient in zip(parameters, found, strict=True)}
