"""Check: neither content nor amount of padding matters."""

import torch

from regard.types import Bool, Tensor

from ..call import Inputs
from ..subject import Subject
from .verdict import fail, first, gap, number, same, skip

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
    if not same(padded, cut):
        fail(
            f"with 2 more masked keys the context differs {gap(padded, cut)}: nothing may depend "
            "on how many masked keys there are"
        )


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
