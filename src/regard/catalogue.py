"""The catalogue: every mechanism with its equation, cost, paper and home.

Nothing is listed here: classes and functions say what they are by
:func:`regard.mechanism.mechanism`, and this module asks the public ones. That imports torch;
:mod:`regard.mechanism_source` reads the same and does not.
"""

from collections.abc import Iterator
from types import ModuleType

from . import cells, nn, positions
from .functional import attend, masks, normalisers, scores
from .mechanism import FAMILIES, WAYS, entries, older_first
from .mechanism import Mechanism as Mechanism
from .nn import vision

PACKAGES: dict[ModuleType, str] = {
    attend: "regard",
    masks: "regard.masks",
    nn: "regard.nn",
    positions: "regard.positions",
    cells: "regard.cells",
    vision: "regard.nn.vision",
}
"""Where mechanisms are public, beside registered scores and normalisers."""

CATALOGUE: dict[str, tuple[Mechanism, ...]]
"""Mechanisms by family, older papers first."""


def catalogue() -> dict[str, tuple[Mechanism, ...]]:
    """What there is now, registered scores and normalisers included."""
    found: dict[str, list[Mechanism]] = {family: [] for family in FAMILIES}
    for family, row in _rows():
        found[family].append(row)
    return {family: tuple(sorted(rows, key=older_first)) for family, rows in found.items()}


def _rows() -> Iterator[tuple[str, Mechanism]]:
    for package, home in PACKAGES.items():
        for name, owner in vars(package).items():
            if getattr(owner, "__name__", None) == name:
                for entry in entries(owner):
                    yield entry.family or WAYS, entry.row(f"{home}.{name}")
    for family, package, registry in (
        ("scores", scores, scores.named),
        ("normalisers", normalisers, normalisers.named),
    ):
        for name, kind in registry.classes.items():
            for entry in entries(kind):
                yield family, entry.row(_home(f"regard.{family}", package, name, kind))


def _home(public: str, package: ModuleType, name: str, kind: type) -> str:
    """The value, where there is one, or else the class; one of somebody else by its module."""
    if kind not in vars(package).values():
        return f"{kind.__module__}.{kind.__qualname__}"
    return f"{public}.{name if isinstance(vars(package).get(name), kind) else kind.__name__}"


def __getattr__(name: str) -> dict[str, tuple[Mechanism, ...]]:
    """``CATALOGUE`` as it is at this moment."""
    if name != "CATALOGUE":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return catalogue()
