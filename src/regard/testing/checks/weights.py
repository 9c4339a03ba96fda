"""Checks of the weights: a distribution, zero in empty rows, and those that were used."""

import torch

from regard.functional.events import Observable
from regard.lens import capture as captured
from regard.types import Bool, Float, Tensor

from ..call import Inputs
from ..subject import Subject
from .verdict import (
    ABSOLUTE,
    fail,
    first,
    gap,
    number,
    require_finite,
    require_same,
    same,
    skip,
    weights_of,
)

TOO_MUCH = 10 * ABSOLUTE


def distribution(subject: Subject) -> None:
    """At least 0, exactly 0 where forbidden, and the promised sum; with a mask and without."""
    weights = weights_of(subject.run(subject.draw()))
    _require_shape(subject, weights)
    _require_positive(weights)
    _require_total(subject, weights, "")
    if subject.call.masks == "none":
        return
    allowed = subject.holes().unsqueeze(1)  # (B, 1, Q, K)
    weights = weights_of(subject.run(subject.draw(allowed[:, 0])))
    _require_positive(weights)
    _require_obedient(weights, allowed)
    _require_total(subject, weights, " under a mask")


def _require_shape(subject: Subject, weights: Tensor) -> None:
    pairs = (subject.num_queries, subject.sizes.num_keys)
    batch = subject.sizes.batch
    if weights.dim() != 4 or weights.shape[0] != batch or weights.shape[-2:] != pairs:
        fail(
            f"the weights of {batch} sequences, {pairs[0]} queries and {pairs[1]} keys need the "
            f"shape (B, Q, K) or (B, H, Q, K), got {tuple(weights.shape)}"
        )


def _require_positive(weights: Float[Tensor, "B H Q K"]) -> None:
    require_finite("a weight", weights)
    if (weights < 0).any():
        _, _, q, k = first(weights < 0)
        least = number(weights[weights < 0][0])
        fail(
            f"the weight of query {q} for key {k} is {least}, not at least 0: are these scores "
            "that have not been normalised?"
        )


def _require_obedient(weights: Float[Tensor, "B H Q K"], allowed: Bool[Tensor, "B 1 Q K"]) -> None:
    forbidden = (weights != 0) & ~allowed
    if not forbidden.any():
        return
    b, h, q, k = first(forbidden)
    inverted = not weights.masked_fill(~allowed, 0).any()
    hint = "the mask is inverted" if inverted else "set its score to −inf before the softmax"
    fail(
        f"query {q} gives the weight {number(weights[b, h, q, k])} to key {k}, which it may not "
        f"attend to: True = may attend; {hint}"
    )


def _require_total(subject: Subject, weights: Float[Tensor, "B H Q K"], when: str) -> None:
    if subject.total == "anything":
        return
    sums = weights.sum(dim=-1)
    wrong = sums > 1 + TOO_MUCH
    if subject.total == "one":
        wrong = (sums - 1).abs() > TOO_MUCH
        if _may_be_empty(subject):
            wrong &= sums != 0
    if not wrong.any():
        return
    b, h, q = first(wrong)
    needed = subject.total.replace("one", "1")
    fail(
        f"the weights of query {q} sum to {number(sums[b, h, q])}{when}, not {needed}: "
        f"{_cure(weights, when)}"
    )


def _may_be_empty(subject: Subject) -> bool:
    """A mask of the module's own may forbid what ours allows."""
    return subject.causal or getattr(subject.module, "mask", None) is not None


def _cure(weights: Float[Tensor, "B H Q K"], when: str) -> str:
    columns = weights.sum(dim=-2)
    if (columns - 1).abs().max() < TOO_MUCH:
        return "they sum to 1 over the queries, so normalise over the keys (the last axis) instead"
    if when:
        return "mask the scores before the softmax, not the weights after it"
    return "normalise over the keys (the last axis)"


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
    found = entry.weights.reshape(returned.shape)
    require_same("the weights captured differ from those returned", found, returned)


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
    what = "the weights shown are not those used: the mean of what each key alone gives differs"
    require_same(f"{what} from the context", expected, context)
