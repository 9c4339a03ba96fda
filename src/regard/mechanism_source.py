"""The catalogue without torch: what :func:`regard.mechanism.mechanism` marks, read and not run.

``regard list mechanisms`` would wait seconds for torch to tell what stands as plain text above each
class. Here the ``__init__`` of every package says what is public, and the source of each public
name says by its decorators which mechanisms it is. :mod:`regard.catalogue` asks the classes
themselves; a test holds both equal.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from . import papers
from .mechanism import FAMILIES, WAYS, Entry, Mechanism, Paper, older_first

ROOT = Path(__file__).parent

PACKAGES = {
    "functional/attend.py": "regard",
    "functional/masks": "regard.masks",
    "nn": "regard.nn",
    "positions": "regard.positions",
    "cells": "regard.cells",
    "nn/vision": "regard.nn.vision",
}
"""Where mechanisms are public, beside scores and normalisers."""
MARK = b"@mechanism("
"""Without it there is nothing to be read in a file."""
REGISTERED = ("scores", "normalisers")
"""Families whose members have a name besides, by which the value may be public."""


def read_catalogue() -> dict[str, tuple[Mechanism, ...]]:
    """Mechanisms by family, older papers first, as :func:`regard.catalogue.catalogue` has them."""
    found: dict[str, list[Mechanism]] = {family: [] for family in FAMILIES}
    for place, home in PACKAGES.items():
        for name, owner in _public(ROOT / place):
            for entry in _entries(owner):
                found[entry.family or WAYS].append(entry.row(f"{home}.{name}"))
    for family in REGISTERED:
        public = dict(_public(ROOT / "functional" / family))
        for name, owner in public.items():
            own = _own_name(owner)
            if own is not None:
                value = own if own in public else name
                found[family] += [one.row(f"regard.{family}.{value}") for one in _entries(owner)]
    return {family: tuple(sorted(rows, key=older_first)) for family, rows in found.items()}


class Source(NamedTuple):
    """A module: what it defines, and what it takes from others."""

    defined: dict[str, ast.stmt]
    taken: dict[str, tuple[Path, str]]
    """By name: the file that it comes from, and what it is called there."""


def _public(place: Path) -> Iterator[tuple[str, ast.stmt]]:
    """The names of a module or package with the statements that define them."""
    source = _source(_file(place))
    yield from source.defined.items()
    for name, (file, there) in source.taken.items():
        definition = _definition(file, there)
        if definition is not None:
            yield name, definition


def _definition(file: Path, name: str) -> ast.stmt | None:
    """The statement that defines a name, in this file or where it has it from."""
    source = _source(file)
    if name in source.taken:
        return _definition(*source.taken[name])
    return source.defined.get(name)


@cache
def _source(file: Path) -> Source:
    defined: dict[str, ast.stmt] = {}
    taken: dict[str, tuple[Path, str]] = {}
    text = file.read_bytes()
    if file.name != "__init__.py" and MARK not in text:  # which is most of them
        return Source(defined, taken)
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            defined[node.name] = node
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            defined[node.targets[0].id] = node
        elif isinstance(node, ast.ImportFrom) and node.level and file.name == "__init__.py":
            folder = file.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for alias in node.names if node.module else ():
                taken[alias.asname or alias.name] = (_file(folder), alias.name)
    return Source(defined, taken)


def _file(place: Path) -> Path:
    """The file of a module or a package."""
    if place.suffix == ".py":
        return place
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


def _entries(owner: ast.stmt) -> Iterator[Entry]:
    """The mechanisms that a class or function says it is."""
    for call in getattr(owner, "decorator_list", ()):
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "mechanism":
            said = {word.arg: _value(word.value) for word in call.keywords}
            yield Entry(
                said.get("family"),
                _value(call.args[0]),
                said["equation"],
                said["cost"],
                Paper(*said["paper"]),
                said.get("call", ""),
            )


def _value(node: ast.expr) -> Any:
    """A text, or a paper that is written down or named."""
    return getattr(papers, node.id) if isinstance(node, ast.Name) else ast.literal_eval(node)


def _own_name(owner: ast.stmt) -> str | None:
    """The ``name`` that a class gives its values."""
    for node in getattr(owner, "body", ()):
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(target, ast.Name) and target.id == "name":
            return str(_value(node.value))
    return None
