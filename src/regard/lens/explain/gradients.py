"""The gradients of the context with respect to everything before it."""

import torch

from regard.errors import ShapeError
from regard.types import Tensor

from .record import Step

EQUATIONS = {
    "weights": "∂L/∂α = g·v",
    "scores": "∂L/∂s",
    "log_scores": "∂L/∂ln s",
    "query": "∂L/∂q",
    "key": "∂L/∂k",
    "value": "∂L/∂v = Σ α g",
}


def gradient_steps(steps: list[Step], cotangent: Tensor | None) -> list[Step]:
    """One step per gradient of L = Σ g c, after one for g itself.

    Args:
        steps: the forward steps, still attached to leaves that carry gradients.
        cotangent: g, shaped like the context; ``None`` is all ones.

    Raises:
        ShapeError: a cotangent of another shape.
    """
    found = {step.name: step for step in steps}
    if "log_scores" in found:
        del found["scores"]
    context = found["context"]
    given = _checked(cotangent, context.tensor)
    sources = [found[name] for name in EQUATIONS if name in found]
    gradients = torch.autograd.grad(
        context.tensor,
        [step.tensor for step in sources],
        given,
        allow_unused=True,
        materialize_grads=True,
    )
    whole = "the context" if cotangent is None else "g times the context"
    note = f"Gradients are those of L, the sum of {whole}."
    first = Step("gradient_context", "gradient", "g", "g = ∂L/∂c", context.axes, given, note)
    return [first, *map(_step, sources, gradients)]


def _step(source: Step, gradient: Tensor) -> Step:
    equation = EQUATIONS[source.name]
    symbol = equation.partition(" =")[0]
    return Step(f"gradient_{source.name}", "gradient", symbol, equation, source.axes, gradient)


def _checked(cotangent: Tensor | None, context: Tensor) -> Tensor:
    if cotangent is None:
        return torch.ones_like(context)
    if cotangent.shape != context.shape:
        raise ShapeError(
            f"gradients needs a tensor shaped like the context, {tuple(context.shape)}, "
            f"got {tuple(cotangent.shape)}"
        )
    return cotangent.detach().to(context)
