"""All doors of a model at once: each of its modules is heard through its own."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial

from torch import nn

from regard.errors import ChoiceError
from regard.functional.events import AttentionEvent, Observable

from .eager import asking
from .fused import overhearing
from .interface import listening
from .kinds import Door, door_of
from .listener import Listener
from .ours import hearing

KNOWN = ("ours", "interface", "fused", "by hand")
"""Doors of modules that are known to attend before they run."""


def attending(model: nn.Module) -> dict[str, nn.Module]:
    """The modules inside a model that are known to attend, by name."""
    return {name: one for name, one in _compiled(model).named_modules() if door_of(one) in KNOWN}


@contextmanager
def opened(model: nn.Module, names: Collection[str] | None, listener: Listener) -> Iterator[bool]:
    """Open every door that leads to a module of these names.

    Gives whether only running the model can tell if it attends.

    Raises:
        ChoiceError: nothing in the model attends, or nothing of such a name.
    """
    model = _compiled(model)
    doors = {module: door_of(module) for module in model.modules()}
    chosen = _chosen(model, names, doors)
    heard = replace(listener, names=chosen)
    kinds = {doors[module] for module in chosen}
    with ExitStack() as blocks:
        for module, name in chosen.items():
            if isinstance(module, Observable):
                blocks.enter_context(_watched(module, name, heard))
        if "interface" in kinds:
            blocks.enter_context(listening(heard))
        if kinds & {"fused", "unknown"}:
            every = {module: name for name, module in model.named_modules()}
            running = blocks.enter_context(overhearing(heard, every))
            blocks.enter_context(hearing(heard, running))
        by_hand = [module for module in chosen if doors[module] == "by hand"]
        if by_hand and heard.tell is not None:
            blocks.enter_context(asking(model, by_hand, heard))
        yield not kinds & {"ours"}


def _compiled(model: nn.Module) -> nn.Module:
    """The model inside what ``torch.compile`` made of it."""
    inside = getattr(model, "_orig_mod", None)
    return inside if isinstance(inside, nn.Module) else model


def _chosen(
    model: nn.Module, names: Collection[str] | None, doors: Mapping[nn.Module, Door]
) -> dict[nn.Module, str]:
    """The modules to be heard, with their names."""
    every = {name: module for name, module in model.named_modules() if doors[module] != "none"}
    known = [name for name, module in every.items() if doors[module] in KNOWN]
    if not every:
        raise ChoiceError(
            "capture needs a model with attention modules of regard.nn, of torch or of "
            f"transformers, {type(model).__name__} has none"
        )
    if unknown := [name for name in names or () if name not in every]:
        told = ", ".join(map(repr, known))
        raise ChoiceError(f"no attention module is called {unknown[0]!r}. Known: {told}.")
    wanted = every if names is None else {name: every[name] for name in names}
    return {module: name for name, module in wanted.items()}


@contextmanager
def _watched(module: Observable, name: str, listener: Listener) -> Iterator[None]:
    """A module of ours tells by itself, in the thread that watches."""
    watcher = partial(_told, listener, module, name)
    edits = listener.edits(name)
    module.edits.extend(edits)
    if listener.tell is not None:
        module.watchers.append(watcher)
    try:
        yield
    finally:
        for edit in edits:
            module.edits.remove(edit)
        if listener.tell is not None:
            module.watchers.remove(watcher)


def _told(listener: Listener, module: Observable, name: str, event: AttentionEvent) -> None:
    if listener.hears(module) and listener.tell is not None:
        listener.tell(name, event)
