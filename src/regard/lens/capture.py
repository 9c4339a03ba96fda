"""Looking over the shoulder of every attention in a model."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from torch import nn

from regard.errors import ChoiceError
from regard.functional.events import Observable

from .record import Record


@contextmanager
def capture(model: nn.Module) -> Iterator[Record]:
    """Record where every attention module inside ``model`` looks while the block runs.

    The model runs as it always does, fused where it is fused; weights are computed from what was
    recorded when they are asked for, as many of them as are asked for.

    >>> with capture(model) as record:
    ...     model(source, target)
    >>> record["decoder.2.cross"].weights  # (B, H, Q, K)

    A model that is itself one attention has the name ``""``; one that occurs twice has its first
    name. Copies made inside the block are not watched. Weights are those before dropout.

    Raises:
        ChoiceError: there is nothing in ``model`` that attends.
    """
    watched = [(n, m) for n, m in model.named_modules() if isinstance(m, Observable)]
    if not watched:
        raise ChoiceError(
            f"capture needs a model with attention modules of regard.nn, {type(model).__name__} "
            "has none"
        )
    record = Record()
    watchers = [(module, partial(record.add, name)) for name, module in watched]
    for module, watcher in watchers:
        module.watchers.append(watcher)
    try:
        yield record
    finally:
        for module, watcher in watchers:
            module.watchers.remove(watcher)
