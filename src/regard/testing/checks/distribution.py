"""Check: the weights of a query are a distribution over the keys it may attend to."""

from regard.types import Bool, Float, Tensor

from ..subject import Subject
from .verdict import ABSOLUTE, fail, first, number, require_finite, weights_of

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
