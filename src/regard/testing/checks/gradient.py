"""Check: gradients are right, and reach every parameter."""

import copy

from torch import nn
from torch.autograd import gradcheck
from torch.autograd.gradcheck import GradcheckError
from torch.func import functional_call

from regard.types import Tensor

from ..call import Call, Inputs
from ..subject import Subject
from .verdict import fail, require_finite


class Calling(nn.Module):
    """A module behind its call, so that parameters can be put in its place."""

    def __init__(self, module: nn.Module, call: Call) -> None:
        super().__init__()
        self.module, self.call = module, call

    def forward(self, inputs: Inputs) -> Tensor:
        """The context."""
        return self.call(self.module, inputs).context


def gradient(subject: Subject) -> None:
    """``gradcheck`` in double for inputs and parameters, none of which is left out."""
    allowed = None if subject.call.masks == "none" else subject.holes()
    inputs = subject.draw(allowed)
    _require_gradient_of_every_parameter(subject, inputs)
    _require_right(subject, inputs)


def _require_gradient_of_every_parameter(subject: Subject, inputs: Inputs) -> None:
    module = subject.copy()
    context = subject.call(module, inputs.map(lambda x: x.clone().requires_grad_())).context
    if not context.requires_grad:
        fail("the context carries no gradient: it is cut off by detach, .data or no_grad")
    context.square().sum().backward()
    for name, p in module.named_parameters():
        if not p.requires_grad:
            continue
        if p.grad is None:
            fail(
                f"the parameter {name!r} gets no gradient: it is not used, or cut off by detach, "
                ".data or no_grad"
            )
        require_finite(f"the gradient of the parameter {name!r}", p.grad)


def _require_right(subject: Subject, inputs: Inputs) -> None:
    calling = Calling(subject.copy(), subject.call)
    names = [name for name, p in calling.named_parameters() if p.requires_grad]
    tensors = tuple({id(x): x for x in inputs[:3]}.values())  # what is one tensor, once
    count = len(tensors)

    def context(*given: Tensor) -> Tensor:
        parameters = dict(zip(names, given[count:], strict=True))
        fresh = copy.deepcopy(calling)
        return functional_call(fresh, parameters, (_together(given[:count], inputs.allowed),))

    own = [p.detach().clone() for p in calling.parameters() if p.requires_grad]
    given = tuple(x.clone().requires_grad_() for x in (*tensors, *own))
    try:
        gradcheck(context, given, fast_mode=True)
    except GradcheckError as error:
        last = " ".join(str(error).split())[:200]
        fail(f"the gradient is not the derivative of the context, says gradcheck: {last}")


def _together(given: tuple[Tensor, ...], allowed: Tensor | None) -> Inputs:
    if len(given) == 1:
        return Inputs(given[0], given[0], given[0], allowed)
    return Inputs(given[0], given[1], given[-1], allowed)
