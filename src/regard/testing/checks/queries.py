"""Check: queries are independent of each other."""

import torch

from regard.types import Tensor

from ..call import Inputs
from ..subject import Subject
from .verdict import fail, gap, same, skip

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
