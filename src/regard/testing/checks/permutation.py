"""Check: invariance or equivariance under a permutation of the keys."""

import torch

from regard.types import Tensor

from ..call import Inputs
from ..subject import Subject
from .verdict import fail, gap, same, skip


def permutation(subject: Subject) -> None:
    """Permuted keys change nothing; permuted self attention is its permutation."""
    if subject.causal:
        skip("it is causal, so that order matters")
    if subject.ordered:
        skip("order matters to it: it has positions or a mask of its own")
    order = torch.randperm(subject.sizes.num_keys, generator=torch.Generator().manual_seed(3))
    _require_same(subject, order, None)
    if subject.call.masks != "none":
        _require_same(subject, order, subject.holes())


def _require_same(subject: Subject, order: Tensor, allowed: Tensor | None) -> None:
    inputs = subject.draw(allowed)
    context, weights = subject.run(inputs)
    found, found_weights = subject.run(permute(inputs, order))
    expected = context[:, order] if subject.call.itself else context
    when = "" if allowed is None else ", with their mask,"
    if not same(found, expected):
        if subject.call.itself:
            fail(
                f"permuting the positions{when} does not just permute the contexts, they differ "
                f"{gap(found, expected)}: if it has positions, say ordered=True"
            )
        fail(
            f"permuting the keys and their values{when} changes the context "
            f"{gap(found, expected)}: if the order of keys is meant to matter, say ordered=True"
        )
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
