"""Checks of what a context may depend on: keys, but no other query, padding or later position."""

from functools import partial

import torch

from regard.types import Bool, Tensor

from ..call import Inputs
from ..subject import Subject
from .verdict import ABSOLUTE, fail, first, gap, number, require_same, same, skip


def looking(subject: Subject) -> None:
    """Some context depends on a key; in self attention, on another position."""
    inputs = subject.draw()
    before = subject.run(inputs).context
    for k in range(subject.sizes.num_keys):
        changed = inputs.map_keys(partial(change_position, t=k))
        moved = (subject.run(changed).context - before).abs() > ABSOLUTE
        if subject.call.itself and moved.shape[1] == subject.sizes.num_keys:
            moved[:, k] = False
        if moved.any():
            return
    if subject.call.itself:
        fail("no context depends on any other position, so it does not attend to anything")
    fail("no context depends on any key, so it does not attend to anything")


CURE = "normalise over the keys (the last axis), not over the queries"


def queries(subject: Subject) -> None:
    """The context of a query does not depend on the other queries.

    In self attention other queries are other keys, too. There weights that sum to 1 over the
    queries are known by this: all contexts together are then what the positions give alone.
    """
    inputs = subject.draw()
    context, weights = subject.run(inputs)
    if context.shape[1] != subject.num_queries:
        skip("its contexts are not one for each query")
    if not subject.call.itself:
        _require_deaf_to_others(subject, inputs, context)
        return
    if weights is not None:
        skip("in self attention other queries are other keys; its weights tell")
    if subject.causal:
        skip("it is causal: causality tells")
    _require_more_than_a_share(subject, inputs, context)


def _require_deaf_to_others(subject: Subject, inputs: Inputs, context: Tensor) -> None:
    for q in range(subject.num_queries):
        query = 1 + inputs.query.square() - inputs.query
        query[:, q] = inputs.query[:, q]
        found = subject.run(inputs._replace(query=query)).context[:, q]
        if not same(found, context[:, q]):
            fail(
                f"the context of query {q} changes {gap(found, context[:, q])} when only other "
                f"queries change: {CURE}"
            )


def _require_more_than_a_share(subject: Subject, inputs: Inputs, context: Tensor) -> None:
    """Σ_q Σ_k w_qk v_k = Σ_k v_k if Σ_q w_qk = 1, and only by accident if Σ_k w_qk = 1."""
    try:
        alone = [subject.run(Inputs(x, x, x)).context for x in inputs.query.split(1, dim=1)]
    except Exception:
        skip("it cannot be called with a single position")
    each = torch.cat(alone, dim=1)
    if same(context, each) or same(context, context.mean(dim=1, keepdim=True).expand_as(context)):
        skip("its weights are equal, or all on the position itself")
    if same(context.sum(dim=1), each.sum(dim=1)):
        fail(
            "all contexts together are what the positions give alone, so the weights of a key sum "
            f"to 1 over the queries: {CURE}"
        )


def permutation(subject: Subject) -> None:
    """Permuted keys change nothing; permuted self attention is its permutation."""
    if subject.causal:
        skip("it is causal, so that order matters")
    if subject.ordered:
        skip("order matters to it: it has positions or a mask of its own")
    order = torch.randperm(subject.sizes.num_keys, generator=torch.Generator().manual_seed(3))
    _require_permuted(subject, order, None)
    if subject.call.masks != "none":
        _require_permuted(subject, order, subject.holes())


def _require_permuted(subject: Subject, order: Tensor, allowed: Tensor | None) -> None:
    inputs = subject.draw(allowed)
    context, weights = subject.run(inputs)
    found, found_weights = subject.run(permute(inputs, order))
    expected = context[:, order] if subject.call.itself else context
    when = "" if allowed is None else ", with their mask,"
    if subject.call.itself:
        what = f"permuting the positions{when} does not just permute the contexts, they differ"
        require_same(what, found, expected, "if it has positions, say ordered=True")
    else:
        what = f"permuting the keys and their values{when} changes the context"
        cure = "if the order of keys is meant to matter, say ordered=True"
        require_same(what, found, expected, cure)
    if weights is None or found_weights is None:
        return
    moved = weights[..., order]
    moved = moved[..., order, :] if subject.call.itself else moved
    if not same(found_weights, moved):
        fail(f"permuting the keys{when} does not permute the weights")


def permute(inputs: Inputs, order: Tensor) -> Inputs:
    """The inputs with keys and values in another order; in self attention the queries, too."""
    allowed = inputs.allowed
    if allowed is not None:
        allowed = allowed[:, order] if inputs.query is inputs.key else allowed
        allowed = allowed[..., order]
    return inputs.map_keys(lambda x: x[:, order])._replace(allowed=allowed)


LOUD = 100.0
"""How much larger than a true key the padding is made: a small leak must show."""


def padding(subject: Subject) -> None:
    """Neither its content nor its amount matters."""
    if subject.call.masks == "none":
        skip("it takes no mask")
    _require_deaf_to_content(subject)
    _require_deaf_to_amount(subject)


def _require_deaf_to_content(subject: Subject) -> None:
    allowed = subject.padding()
    inputs = subject.draw(allowed)
    real = allowed[:, 0]  # (B, K)
    looking = real if subject.call.itself else torch.ones(inputs.query.shape[:2], dtype=torch.bool)
    before = subject.run(inputs).context[looking]
    after = subject.run(loud_padding(inputs, real)).context[looking]
    if not same(after, before):
        changed = ~torch.isclose(after, before).flatten(1).all(dim=1)
        b, q = looking.nonzero()[first(changed)[0]].tolist()
        most = number((after - before).abs().max())
        fail(
            f"the context of query {q} in sequence {b} changes when only the content of padding "
            f"changes, by up to {most}: a masked key must have no weight, and enter no mean, norm "
            "or sum"
        )


def _require_deaf_to_amount(subject: Subject) -> None:
    kept = subject.sizes.num_keys - 2
    allowed = subject.padding().clone()
    allowed[:] = torch.arange(subject.sizes.num_keys) < kept
    inputs = subject.draw(allowed)
    padded = subject.run(inputs).context
    cut = subject.run(first_keys(inputs, kept)).context
    padded = padded[:, :kept] if subject.call.itself else padded
    cure = "nothing may depend on how many masked keys there are"
    require_same("with 2 more masked keys the context differs", padded, cut, cure)


def loud_padding(inputs: Inputs, real: Bool[Tensor, "B K"]) -> Inputs:
    """The inputs with large numbers where padding is."""
    source = torch.Generator().manual_seed(4)

    def loud(x: Tensor) -> Tensor:
        noise = LOUD * torch.randn(x.shape, generator=source, dtype=x.dtype)
        return torch.where(real.unsqueeze(-1), x, noise)

    return inputs.map_keys(loud)


def first_keys(inputs: Inputs, kept: int) -> Inputs:
    """The inputs with the first ``kept`` keys."""
    short = inputs.map_keys(lambda x: x[:, :kept])
    assert inputs.allowed is not None
    return short._replace(allowed=inputs.allowed[:, : short.query.shape[1], :kept])


def causality(subject: Subject) -> None:
    """A later position never changes an earlier context."""
    if not subject.call.itself:
        skip("only self attention has later positions")
    if not subject.causal and subject.call.masks != "pairs":
        skip("it is not causal, and takes no mask by pairs that would make it so")
    inputs = subject.draw(None if subject.causal else lower(subject.sizes.num_keys, subject))
    before = subject.run(inputs).context
    for t in range(1, subject.sizes.num_keys):
        after = subject.run(inputs.map(partial(change_position, t=t))).context
        moved = (after - before)[:, :t].abs().flatten(2).amax(dim=2) > ABSOLUTE  # (B, t)
        if moved.any():
            b, q = first(moved)
            by = number((after - before)[b, q].abs().max())
            cure = "k ≤ q may attend" if subject.causal else "mask[q, k] is of query q and key k"
            fail(f"position {q} changes by {by} when only the later position {t} changes: {cure}")


def change_position(x: Tensor, t: int) -> Tensor:
    """Other numbers at position ``t``."""
    twin = x.clone()
    twin[:, t] = x[:, t] + 1 + x[:, t] ** 2
    return twin


def lower(length: int, subject: Subject) -> Bool[Tensor, "B Q K"]:
    """Each position may see itself and what comes before."""
    return torch.ones(length, length).tril().bool().expand(subject.sizes.batch, -1, -1)
