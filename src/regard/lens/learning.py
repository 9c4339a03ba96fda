"""Gradients of models that are stored without them."""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn


@contextmanager
def learning(model: nn.Module) -> Iterator[None]:
    """Inside, all parameters learn; afterwards those do that did before."""
    frozen = [one for one in model.parameters() if not one.requires_grad]
    for one in frozen:
        if one.is_floating_point():
            one.requires_grad_(True)
    try:
        yield
    finally:
        for one in frozen:
            one.requires_grad_(False)
