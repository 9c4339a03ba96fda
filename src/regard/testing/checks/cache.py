"""Check: decoding step by step with a cache equals the full pass."""

from typing import Any

import torch
from torch import nn

from regard.types import Tensor

from ..call import Inputs, Step
from ..subject import Subject
from .causality import lower
from .verdict import fail, gap, same, skip


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
        if not same(at_once[:, t], steps[:, t]):
            fail(
                f"step {t} alone and among all steps at once differ "
                f"{gap(at_once[:, t], steps[:, t])}"
            )


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
        if not same(again, output):
            fail(
                f"step {t} taken twice from one cache differs {gap(again, output)}: a step must "
                "not write into the cache it is given, beams share it"
            )
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
