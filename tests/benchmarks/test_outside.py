"""Programs that run where regard is not installed import neither it nor anything that does."""

import ast
from pathlib import Path

import pytest

from benchmarks.places import ROOT

FOLDERS = ("training/drivers", "decoding/decoders")
PROGRAMS = [
    path
    for folder in FOLDERS
    for path in sorted((ROOT / "benchmarks" / folder).glob("*.py"))
    if path.stem != "ours"
]
PACKAGES = [ROOT / "benchmarks" / name for name in ("__init__.py", "pipe.py")]
PACKAGES += [ROOT / "benchmarks" / folder / "__init__.py" for folder in ("training", "decoding")]


def asked_for(path: Path) -> set[str]:
    """The modules of ours that a file imports, at whatever depth of the file."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*above, *([node.module] if node.module else [])])
            found |= {base if node.module else f"{base}.{alias.name}" for alias in node.names}
    return {name for name in found if name.split(".")[0] in ("regard", "benchmarks")}


@pytest.mark.parametrize(
    "path", [*PROGRAMS, *PACKAGES], ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_only_the_pipe_and_its_neighbours_are_imported(path):
    own = ".".join(path.relative_to(ROOT).parts[:-1])
    allowed = ("benchmarks.pipe", f"{own}.")
    assert [name for name in asked_for(path) if not name.startswith(allowed)] == []
    assert not any(name.endswith(".ours") for name in asked_for(path))
