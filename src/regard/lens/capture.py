"""Capture the attention weights of a model while it runs."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import partial

from torch import nn

from regard.errors import ChoiceError
from regard.functional.events import Observable

from .record import Record


def attention_modules(model: nn.Module) -> dict[str, Observable]:
    """The modules inside ``model`` that can be captured, by name."""
    return {
        name: module for name, module in model.named_modules() if isinstance(module, Observable)
    }


@contextmanager
def capture(model: nn.Module, names: Collection[str] | None = None) -> Iterator[Record]:
    """Record where every attention module inside ``model`` looks while the block runs.

    The model runs as it always does, fused where it is fused; weights are computed from what was
    recorded when they are asked for, as many of them as are asked for.

    >>> with capture(model) as record:
    ...     model(source, target)
    >>> record["decoder.2.cross"].weights  # (B, H, Q, K)

    A model that is itself one attention has the name ``""``; one that occurs twice has its first
    name. Copies made inside the block are not watched. Weights are those before dropout.

    Args:
        model: what contains attention.
        names: of the modules to watch, as in :func:`attention_modules`; all if not given.

    Raises:
        ChoiceError: there is nothing in ``model`` that attends, or nothing of such a name.
    """
    modules = attention_modules(model)
    if not modules:
        raise ChoiceError(
            f"capture needs a model with attention modules of regard.nn, {type(model).__name__} "
            "has none"
        )
    if unknown := [name for name in names or () if name not in modules]:
        raise ChoiceError(
            f"no attention module is called {unknown[0]!r}. Known: {', '.join(map(repr, modules))}."
        )
    record = Record()
    chosen = modules if names is None else {name: modules[name] for name in names}
    watchers = [(module, partial(record.add, name)) for name, module in chosen.items()]
    for module, watcher in watchers:
        module.watchers.append(watcher)
    try:
        yield record
    finally:
        for module, watcher in watchers:
            module.watchers.remove(watcher)
