"""Imports inside regard point one way: a part imports only from the layers below it.

Run as ``python tools/import_arrows.py src/regard``: prints every arrow which points backwards and
ends with 1 if there is one. Every import counts, also inside functions and ``TYPE_CHECKING``.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

# From the ground up. Parts of one layer stand side by side and do not import each other.
LAYERS = (
    ("errors", "json_text", "notebook", "listing"),
    ("extras",),
    ("lazy",),
    ("mechanism",),
    ("types", "registry", "config", "papers", "devices"),
    ("task_registry", "options", "mechanism_source"),
    ("kernels",),
    ("functional",),
    ("positions", "cells"),
    ("nn",),
    ("lens", "catalogue"),
    ("models",),
    ("decoding",),
    ("data",),
    ("measures",),
    ("storage",),
    ("training",),
    ("tasks",),
    ("zoo",),
    ("testing",),
    ("studio",),
    ("cli",),
)
HEIGHT = {part: height for height, layer in enumerate(LAYERS) for part in layer}

# The package's own face, above every layer.
FACE = {"__init__", "__main__"}


class Arrow(NamedTuple):
    """One import of one part of the package by another."""

    file: Path
    line: int
    source: str
    target: str

    @property
    def complaint(self) -> str | None:
        """What is wrong with this arrow, or None."""
        unplaced = [part for part in (self.source, self.target) if part not in HEIGHT]
        if unplaced:
            return f"{unplaced[0]!r} has no place in LAYERS yet: give it one"
        if self.source == self.target or HEIGHT[self.target] < HEIGHT[self.source]:
            return None
        return f"{self.source} must not import {self.target}, which does not lie below it"

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.complaint}"


def arrows(package: Path) -> Iterator[Arrow]:
    """Every import of a part of ``package`` by a part of ``package``."""
    for file in sorted(package.rglob("*.py")):
        source = file.relative_to(package).parts[0].removesuffix(".py")
        if source in FACE:
            continue
        for node in imports(file):
            for module in imported(node, file, package):
                target = part_of(module, package)
                if target is not None:
                    yield Arrow(file, node.lineno, source, target)


def imports(file: Path) -> list[ast.Import | ast.ImportFrom]:
    """The import statements of ``file``, at whatever depth."""
    tree = ast.parse(file.read_text(encoding="utf-8"), str(file))
    return [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]


def imported(node: ast.Import | ast.ImportFrom, file: Path, package: Path) -> list[str]:
    """The absolute dotted names that an import statement asks for."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    base = node.module.split(".") if node.module else []
    if node.level:
        here = [package.name, *file.relative_to(package).parts[:-1]]
        base = here[: len(here) - node.level + 1] + base
    return [".".join([*base, alias.name]) for alias in node.names]


def part_of(module: str, package: Path) -> str | None:
    """The part of ``package`` that ``module`` belongs to; None if it is outside or a constant.

    A public name taken from the package itself (``from regard import attend``) lives in
    ``functional``.
    """
    root, *rest = module.split(".")
    if root != package.name or rest[:1] == ["__version__"]:
        return None
    if rest and (rest[0] in HEIGHT or (package / rest[0]).exists()):
        return rest[0]
    return "functional"


def backwards(package: Path) -> list[Arrow]:
    """The arrows of ``package`` which do not point down."""
    return [arrow for arrow in arrows(package) if arrow.complaint]


if __name__ == "__main__":
    wrong = backwards(Path(sys.argv[1]))
    print("\n".join(map(str, wrong)) or "imports point one way")
    sys.exit(bool(wrong))
