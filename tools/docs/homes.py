"""Where things live: the object behind a row or a name, and what of it a page shows."""

from collections.abc import Iterator
from functools import cache, cached_property
from importlib import import_module
from inspect import isclass, isfunction, ismodule
from types import ModuleType

import regard.lens.plots
from regard.catalogue import CATALOGUE, Mechanism

HIDDEN = {
    *("attend", "weigh", "notify", "extra_repr", "reset_parameters", "zeros", "check"),
    *("project_keys", "project_states", "score", "kernel_weights", "load_kernel_weights"),
    *("fusable", "run", "descriptors", "advance", "attend_at"),
}
"""Methods by which modules are built, not used."""

FUNCTIONS = (
    *(
        "regard.attend",
        "regard.weigh",
        "regard.top_weights",
        "regard.plan",
        "regard.explain",
        "regard.statistics",
        "regard.load",
    ),
    *("regard.lens.capture", "regard.lens.plots.heatmap", "regard.testing.check_attention"),
)
"""What most users call, and no mechanism."""

REFERENCE = {
    "attention": ("regard.scores", "regard.normalisers", "regard.masks"),
    "nn": ("regard.nn", "regard.nn.interop"),
    "positions": ("regard.positions",),
    "cells": ("regard.cells",),
    "lens": (
        *("regard.lens", "regard.lens.explain", "regard.lens.alignments", "regard.lens.plots"),
        *("regard.lens.census", "regard.lens.doctor", "regard.lens.faithfulness"),
    ),
    "models": ("regard.models", "regard.models.reading"),
    "decoding": ("regard.decoding",),
    "data": (
        *("regard.data.pairs", "regard.data.vocabulary", "regard.data.batches"),
        *("regard.data.grammar", "regard.data.datasets", "regard.data.reading"),
        *("regard.data.regions", "regard.data.clutter"),
    ),
    "measures": ("regard.measures",),
    "storage": (
        *("regard.storage.run_folder", "regard.storage.checkpoint", "regard.storage.manifest"),
        *("regard.storage.stored_model", "regard.storage.quantised"),
    ),
    "training": ("regard.training", "regard.training.task"),
    "tasks": (
        *("regard.tasks.translation", "regard.tasks.translation.evaluation"),
        *("regard.tasks.translation.views", "regard.tasks.question_answering"),
        *("regard.tasks.object_detection", "regard.tasks.segmentation"),
    ),
    "zoo": ("regard.zoo", "regard.zoo.packing", "regard.zoo.card"),
    "testing": ("regard.testing",),
    "errors": ("regard.errors", "regard.extras"),
}
"""Pages of the reference, and the modules of which each shows everything public."""

TALKATIVE = ("regard.nn", "regard.positions", "regard.cells")
"""Packages whose classes are used through more methods than their constructor."""
QUIET = ("regard.scores", "regard.normalisers", "regard.masks")
"""Packages of values, which are passed and not called."""


def found(path: str) -> object:
    """What a dotted path from the package leads to.

    Raises:
        AttributeError: nothing is there.
    """
    value: object = regard
    for name in path.split(".")[1:]:
        if ismodule(value) and not hasattr(value, name):
            _import(f"{value.__name__}.{name}")
        value = getattr(value, name)
    return value


def _import(name: str) -> None:
    try:
        import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise


def identifier(mechanism: Mechanism) -> str:
    """The object whose docstring describes a mechanism: the home, or the class of a value."""
    home = found(mechanism.target)
    if isclass(home) or isfunction(home):
        return mechanism.target
    package = mechanism.target.rpartition(".")[0]
    return f"{package}.{type(home).__name__}"


def canonical(path: str) -> str:
    """The path of the file where an object is defined."""
    value = found(path)
    return f"{value.__module__}.{value.__qualname__}"  # type: ignore[attr-defined]


def methods(path: str) -> list[str]:
    """The methods a page shows, in the order of their definition."""
    home = found(path)
    if not isclass(home) or not path.startswith(TALKATIVE):
        return []
    seen: dict[str, None] = {}
    for kind in home.__mro__:
        if kind.__module__.startswith("regard."):
            seen.update({name: None for name, value in vars(kind).items() if isfunction(value)})
    return [name for name in seen if not name.startswith("_") and name not in HIDDEN]


def members(path: str) -> list[str]:
    """Fields, properties and methods of a class, in the order of their definition."""
    home = found(path)
    if not isclass(home) or path.startswith(QUIET):
        return []
    seen: dict[str, None] = {}
    for kind in home.__mro__:
        if kind.__module__.startswith("regard."):
            seen.update(dict.fromkeys(getattr(kind, "__annotations__", {})))
            seen.update({name: None for name, value in vars(kind).items() if _is_member(value)})
    return [name for name in seen if not name.startswith("_")]


def _is_member(value: object) -> bool:
    return isfunction(value) or isinstance(
        value, (property, cached_property, classmethod, staticmethod)
    )


@cache
def companions(path: str) -> tuple[str, ...]:
    """The public classes and functions of a module that no page before its own shows."""
    before = {canonical(one) for one in (*_homes(), *FUNCTIONS)}
    for module in (one for modules in REFERENCE.values() for one in modules):
        if module == path:
            break
        before |= {canonical(one) for one in companions(module)}
    kept: dict[str, str] = {}
    for name in _public(path):
        kept.setdefault(canonical(name), name)
    return tuple(name for home, name in kept.items() if home not in before)


def _public(path: str) -> Iterator[str]:
    module = found(path)
    assert isinstance(module, ModuleType)
    package = hasattr(module, "__path__")
    own = ".".join(module.__name__.split(".")[:2]) if package else module.__name__
    for name in getattr(module, "__all__", vars(module)):
        value = getattr(module, name)
        if name.startswith("_") or not (isclass(value) or isfunction(value)):
            continue
        if f"{value.__module__}.".startswith(f"{own}."):
            yield f"{path}.{name}"


def _homes() -> list[str]:
    return [identifier(row) for family in CATALOGUE.values() for row in family]


def documented() -> dict[str, str]:
    """Every object that the site shows, by its canonical path."""
    modules = [module for modules in REFERENCE.values() for module in modules]
    beside = [path for module in modules for path in companions(module)]
    return {canonical(path): path for path in (*beside, *_homes(), *FUNCTIONS)}
