"""Where every head of a decoder looks at the source."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn

from regard.functional.events import AttentionEvent, Observable
from regard.types import Float, Tensor

CROSS = "cross"
"""What decoders of several layers call the attention that looks at the source."""


class Maps:
    """The looks of some attentions, one each, in the order of their layers."""

    def __init__(self) -> None:
        self.looks: list[AttentionEvent] = []

    def stacked(self) -> Float[Tensor, "B L H T S"] | None:
        """All weights; ``None`` if nothing was watched."""
        if not self.looks:
            return None
        found = [look.weigh() for look in self.looks]
        with_heads = [weights if weights.dim() == 4 else weights[:, None] for weights in found]
        return torch.stack(with_heads, dim=1)


@contextmanager
def every_map(model: nn.Module) -> Iterator[Maps]:
    """Watches the cross-attention of every layer of ``model`` while it reads once.

    A model without layers that look one after the other is not watched: what it tells by itself is
    all there is.
    """
    maps = Maps()
    crosses = [
        module
        for name, module in model.named_modules()
        if name.split(".")[-1] == CROSS and isinstance(module, Observable)
    ]
    for module in crosses:
        module.watchers.append(maps.looks.append)
    try:
        yield maps
    finally:
        for module in crosses:
            module.watchers.remove(maps.looks.append)
