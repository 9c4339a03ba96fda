"""Checks of ways through a module: step by step with a cache, and backwards."""

import copy
from typing import Any

import torch
from torch import nn
from torch.autograd import gradcheck
from torch.autograd.gradcheck import GradcheckError
from torch.func import functional_call

from regard.types import Tensor

from ..call import Call, Inputs, Step
from ..subject import Subject
from .keys import lower
from .verdict import fail, gap, require_finite, require_same, same, skip


@torch.no_grad()
def cache(subject: Subject) -> None:
    """Modules with ``step(x, cache)``, or with ``contexts(states, memory)``."""
    module = subject.copy()
    if isinstance(subject.call, Step):
        if not hasattr(module, "contexts"):
            skip("it has no contexts(states, memory) that would take all steps at once")
        _require_all_steps_at_once(subject, module, subject.call)
        return
    if not hasattr(module, "step"):
        skip("it has no step(x, cache)")
    if not subject.call.itself:
        skip("only self attention keeps its own past")
    if not subject.causal and subject.call.masks != "pairs":
        skip("it is not causal, so that no full pass equals its steps")
    _require_steps(subject, module)


def _require_all_steps_at_once(subject: Subject, module: nn.Module, call: Step) -> None:
    allowed = subject.padding() if call.masked else None
    inputs = subject.draw(allowed)
    steps = subject.run(inputs, module).context
    at_once = module.contexts(inputs.query, call.prepare(module, inputs))  # type: ignore[operator]
    for t in range(subject.num_queries):
        what = f"step {t} alone and among all steps at once differ"
        require_same(what, at_once[:, t], steps[:, t])


def _require_steps(subject: Subject, module: nn.Module) -> None:
    length = subject.sizes.num_keys
    inputs = subject.draw(None if subject.causal else lower(length, subject))
    full = subject.run(inputs).context
    x, past = inputs.query, None
    for t in range(length):
        output, following = _step(module, x[:, t : t + 1], past)
        if not same(output, full[:, t]):
            fail(
                f"step {t} differs {gap(output, full[:, t])} from position {t} of the full pass: "
                f"{_cure(subject, inputs, output, t)}"
            )
        again, _ = _step(module, x[:, t : t + 1], past)
        cure = "a step must not write into the cache it is given, beams share it"
        require_same(f"step {t} taken twice from one cache differs", again, output, cure)
        past = following


def _step(module: nn.Module, x: Tensor, past: Any) -> tuple[Tensor, Any]:
    """The new position's output (B, E), and the new cache."""
    output, following = module.step(x, past)  # type: ignore[operator]
    return output.squeeze(1), following


def _cure(subject: Subject, inputs: Inputs, output: Tensor, t: int) -> str:
    """What the step seems to see instead of its whole past."""
    for start in range(1, t + 1):
        mask = None if subject.causal else lower(t + 1 - start, subject)
        seen = inputs.query[:, start : t + 1]
        if same(output, subject.run(Inputs(seen, seen, seen, mask)).context[:, -1]):
            return f"it sees only the last {t + 1 - start} of {t + 1} positions"
    return f"the new position is number {t} and sees itself and all {t} before it"


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
