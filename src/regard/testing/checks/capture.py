"""Check: the weights shown are the weights used."""

import torch

from regard.functional.events import Observable
from regard.lens import capture as captured
from regard.types import Tensor

from ..call import Inputs
from ..subject import Subject
from .verdict import fail, gap, number, same, skip, weights_of

PUSH = 1.0


def capture(subject: Subject) -> None:
    """What is returned, what is captured and what moves the context are one."""
    inputs = subject.draw()
    context, weights = subject.run(inputs)
    shown = weights_of(subject.run(inputs))
    assert weights is not None
    _require_what_was_captured(subject, inputs)
    if not subject.pooled:
        skip("the context is no linear map of weights @ values; only the shapes were looked at")
    if subject.call.valued and not subject.call.itself:
        moved = _moves(subject, inputs, context)
        if moved.any():
            _require_moves_by_weight(moved, shown)
            return
    if shown.shape[1] != 1 or subject.call.masks == "none" or subject.total != "one":
        skip("values cannot be set apart from keys; only the shapes were looked at")
    _require_mean_of_single_looks(subject, inputs, context, shown[:, 0])


def _require_what_was_captured(subject: Subject, inputs: Inputs) -> None:
    module = subject.copy()
    if not any(isinstance(part, Observable) for part in module.modules()):
        return
    with captured(module) as record:
        _, returned = subject.call(module, inputs)
    if not record:
        fail("nothing was captured: attend by self.attend or self.weigh, or tell the weights")
    if returned is None or len(record) != 1:
        return
    (entry,) = record.values()
    if not same(entry.weights.reshape(returned.shape), returned):
        fail(f"the weights captured differ from those returned {gap(entry.weights, returned)}")


def _moves(subject: Subject, inputs: Inputs, context: Tensor) -> Tensor:
    """How every context moves when the value of one key is pushed: (B, Q, K, E)."""
    push = PUSH * (1 + torch.arange(inputs.value.shape[-1], dtype=inputs.value.dtype))
    moved = []
    for k in range(subject.sizes.num_keys):
        value = inputs.value.clone()
        value[:, k] += push
        moved.append(subject.run(inputs._replace(value=value)).context - context)
    return torch.stack(moved, dim=2)


def _require_moves_by_weight(moved: Tensor, weights: Tensor) -> None:
    """Each head moves the context along one direction, as far as its weight says."""
    by = weights.permute(0, 2, 3, 1).flatten(0, 2).to(moved.dtype)  # (B·Q·K, H)
    along = moved.flatten(3).flatten(0, 2)  # (B·Q·K, E)
    if 2 * by.shape[1] > by.shape[0]:
        skip("it has so many heads that any weights would do; only the shapes were looked at")
    directions = torch.linalg.lstsq(by, along).solution
    if not same(by @ directions, along):
        off = number((by @ directions - along).abs().max())
        fail(
            f"the weights shown are not those used: pushing single values moves the contexts by up "
            f"to {off} otherwise than these weights say"
        )


def _require_mean_of_single_looks(
    subject: Subject, inputs: Inputs, context: Tensor, weights: Tensor
) -> None:
    """One head: the context is the weighted mean of what is seen where one key alone is allowed."""
    expected = torch.zeros_like(context)
    for k in range(subject.sizes.num_keys):
        allowed = torch.zeros(weights.shape, dtype=torch.bool)
        allowed[..., k] = True
        alone = subject.run(inputs._replace(allowed=allowed)).context
        expected = expected + weights[..., k : k + 1] * alone
    if not same(expected, context):
        fail(
            "the weights shown are not those used: the mean of what each key alone gives differs "
            f"from the context {gap(expected, context)}"
        )
