"""A query that may attend to nothing gets nothing."""

import torch

from regard.types import Bool, Tensor

from ..call import Inputs
from ..subject import Subject
from .verdict import fail, gap, number, require_finite, same, skip

SEQUENCE, QUERY = 1, 1
"""Who may attend to nothing."""

WHO = f"query {QUERY} of sequence {SEQUENCE}, which may attend to nothing,"


def empty_rows(subject: Subject) -> None:
    """Zero weights, a context that no key has a say in, and finite gradients."""
    if subject.call.masks == "none":
        skip("it takes no mask")
    inputs = subject.draw(emptied(subject))
    context, weights = subject.run(inputs)
    own = context[SEQUENCE, QUERY]
    require_finite(f"the context of {WHO}", own, ": give it zero weights instead")
    if weights is not None:
        _require_no_weight(weights[SEQUENCE, :, QUERY])
    other = subject.run(elsewhere(inputs, itself=subject.call.itself)).context[SEQUENCE, QUERY]
    if not same(other, own):
        fail(
            f"the context of {WHO} changes {gap(other, own)} with keys it may not see: give it "
            "zero weights, not equal ones"
        )
    if _pools_as_it_is(subject) and own.any():
        fail(f"the context of {WHO} is up to {number(own.abs().max())}, not zero")
    _require_finite_gradients(subject, inputs)


def emptied(subject: Subject) -> Bool[Tensor, "B Q K"]:
    """A mask with an empty row; where only whole keys can be masked, an empty sequence."""
    allowed = subject.scattered().clone()
    if subject.call.masks == "pairs":
        allowed[SEQUENCE, QUERY] = False
    else:
        allowed[SEQUENCE] = False
    return allowed


def elsewhere(inputs: Inputs, *, itself: bool) -> Inputs:
    """The inputs with all other than the query itself changed in its sequence."""
    query, key, value, allowed = inputs
    if itself:
        x = query.clone()
        x[SEQUENCE] = query[SEQUENCE] + 1 + query[SEQUENCE] ** 2
        x[SEQUENCE, QUERY] = query[SEQUENCE, QUERY]
        return Inputs(x, x, x, allowed)
    new_key = key + 1 + key**2
    return Inputs(query, new_key, new_key if value is key else value + 1 + value**2, allowed)


def _require_no_weight(row: Tensor) -> None:
    require_finite(f"a weight of {WHO}", row, ": give it zero weights instead")
    if row.any():
        fail(f"the weights of {WHO} sum to {number(row.sum(dim=-1).abs().max())}, not 0")


def _pools_as_it_is(subject: Subject) -> bool:
    """Whether the context is weights @ values with nothing behind it."""
    inputs = subject.draw()
    context, weights = subject.run(inputs)
    if weights is None or weights.shape[1] != 1 or not subject.pooled:
        return False
    return same(weights[:, 0].to(inputs.value.dtype) @ inputs.value, context)


def _require_finite_gradients(subject: Subject, inputs: Inputs) -> None:
    module = subject.copied()
    query, key, value = (x.clone().requires_grad_() for x in inputs[:3])
    if subject.call.itself:
        key = value = query
    elif inputs.value is inputs.key:
        value = key
    context = subject.call(module, Inputs(query, key, value, inputs.allowed)).context
    context.square().sum().backward()
    found = {"query": query.grad, "key": key.grad, "value": value.grad}
    found |= {f"parameter {name!r}": p.grad for name, p in module.named_parameters()}
    for name, gradient in found.items():
        if gradient is not None and not torch.isfinite(gradient).all():
            fail(
                f"with {WHO} the gradient of the {name} is not finite: mask with a large finite "
                "number and zero the row after the softmax, NaN must not be computed at all"
            )
