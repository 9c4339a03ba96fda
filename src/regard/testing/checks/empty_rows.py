"""Check: a query with no allowed key gets zero weights and finite gradients."""

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
    inputs = subject.draw(mask_with_empty_row(subject))
    context, weights = subject.run(inputs)
    own = context[SEQUENCE, QUERY]
    require_finite(f"the context of {WHO}", own, ": give it zero weights instead")
    if weights is not None:
        _require_no_weight(weights[SEQUENCE, :, QUERY])
    other = subject.run(change_others(inputs)).context[SEQUENCE, QUERY]
    if not same(other, own):
        fail(
            f"the context of {WHO} changes {gap(other, own)} with keys it may not see: give it "
            "zero weights, not equal ones"
        )
    if _pools_as_it_is(subject) and own.any():
        fail(f"the context of {WHO} is up to {number(own.abs().max())}, not zero")
    _require_finite_gradients(subject, inputs)


def mask_with_empty_row(subject: Subject) -> Bool[Tensor, "B Q K"]:
    """A mask with an empty row; where only whole keys can be masked, an empty sequence."""
    allowed = subject.holes().clone()
    if subject.call.masks == "pairs":
        allowed[SEQUENCE, QUERY] = False
    else:
        allowed[SEQUENCE] = False
    return allowed


def change_others(inputs: Inputs) -> Inputs:
    """The inputs with all keys changed, but for the query itself in self attention."""

    def change(x: Tensor) -> Tensor:
        twin = x + 1 + x**2
        if inputs.query is inputs.key:
            twin[SEQUENCE, QUERY] = x[SEQUENCE, QUERY]
        return twin

    return inputs.map_keys(change)


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
    module = subject.copy()
    leaves = inputs.map(lambda x: x.clone().requires_grad_())
    subject.call(module, leaves).context.square().sum().backward()
    found = {name: getattr(leaves, name).grad for name in ("query", "key", "value")}
    found |= {f"parameter {name!r}": p.grad for name, p in module.named_parameters()}
    for name, gradient in found.items():
        if gradient is not None and not torch.isfinite(gradient).all():
            fail(
                f"with {WHO} the gradient of the {name} is not finite: mask with a large finite "
                "number and zero the row after the softmax, NaN must not be computed at all"
            )
