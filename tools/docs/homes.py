"""Where a mechanism lives: the object behind its row, and what of it a page shows."""

from importlib import import_module
from inspect import isclass, isfunction

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
    ),
    *("regard.lens.capture", "regard.lens.plots.heatmap", "regard.testing.check_attention"),
)
"""What most users call, and no mechanism."""

PACKAGES = ("regard.nn", "regard.positions", "regard.cells", "regard.lens", "regard.testing")
"""Packages of which everything public is shown."""

TALKATIVE = ("regard.nn", "regard.positions", "regard.cells")
"""Packages whose classes are used through more methods than their constructor."""


def found(path: str) -> object:
    """What a dotted path from the package leads to.

    Raises:
        AttributeError: nothing is there.
    """
    value: object = regard
    for name in path.split(".")[1:]:
        value = getattr(value, name)
    return value


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


def companions(package: str) -> list[str]:
    """The public classes and functions of a package that have no page of their own."""
    members = vars(import_module(package)).items()
    paths = (f"{package}.{name}" for name, value in members if _is_ours(name, value))
    return [path for path in paths if path not in {*_homes(), *FUNCTIONS}]


def _is_ours(name: str, value: object) -> bool:
    described = isclass(value) or isfunction(value)
    return described and not name.startswith("_") and value.__module__.startswith("regard.")


def _homes() -> list[str]:
    return [identifier(row) for family in CATALOGUE.values() for row in family]


def documented() -> dict[str, str]:
    """Every object that the site shows, by its canonical path."""
    beside = [path for package in PACKAGES for path in companions(package)]
    return {canonical(path): path for path in (*beside, *_homes(), *FUNCTIONS)}
