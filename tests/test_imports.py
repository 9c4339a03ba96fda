"""Imports point one way, and the checker that says so can say no."""

from pathlib import Path

import pytest

import import_arrows

PACKAGE = Path(__file__).parent.parent / "src" / "regard"


def tree(root: Path, files: dict[str, str]) -> Path:
    """A package ``regard`` under ``root`` with these files."""
    package = root / "regard"
    for name, text in files.items():
        file = package / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return package


@pytest.fixture(scope="module")
def ours():
    """Every import of the package by itself."""
    return list(import_arrows.arrows(PACKAGE))


def test_imports_of_the_package_point_one_way(ours):
    assert [str(arrow) for arrow in ours if arrow.complaint] == []


def test_the_walk_sees_the_package(ours):
    arrows = {(arrow.source, arrow.target) for arrow in ours}
    assert ("registry", "errors") in arrows
    assert ("cli", "errors") in arrows


@pytest.mark.parametrize(
    "line",
    [
        "from ..lens import capture",
        "from .. import lens",
        "from ..lens.plots import heatmap",
        "import regard.lens",
        "import regard.lens.plots as plots",
        "from regard.lens import capture",
        "from regard import lens",
        "def late():\n    from ..lens import capture",
        "if TYPE_CHECKING:\n    from ..lens import capture",
    ],
)
def test_an_arrow_backwards_is_found_in_every_spelling(tmp_path, line):
    package = tree(tmp_path, {"functional/attend.py": f"{line}\n"})
    (arrow,) = import_arrows.backwards(package)
    assert (arrow.source, arrow.target) == ("functional", "lens")
    assert str(arrow).endswith("functional must not import lens, which does not lie below it")


def test_a_deep_relative_import_is_resolved_from_its_own_folder(tmp_path):
    files = {
        "functional/engine/stream.py": "from ...cells import lstm\nfrom ..masks import causal\n",
        "functional/engine/__init__.py": "from ... import cli\n",
    }
    package = tree(tmp_path, files)
    found = {(arrow.file.name, arrow.target) for arrow in import_arrows.backwards(package)}
    assert found == {("stream.py", "cells"), ("__init__.py", "cli")}


def test_arrows_down_and_within_a_part_are_fine(tmp_path):
    files = {
        "functional/attend.py": "import torch\nfrom .engine import plan\nfrom .. import registry\n",
        "nn/luong.py": "from ..functional.attend import attend\nfrom regard import weigh\n",
        "lens/census.py": "from ..nn import luong\nfrom .record import Record\n",
        "cli/figure.py": "from ..lens import plots\nfrom .. import __version__\n",
        "__init__.py": "from .functional.attend import attend\n",
        "__main__.py": "from regard.cli.app import main\n",
    }
    assert import_arrows.backwards(tree(tmp_path, files)) == []


def test_neighbours_in_one_layer_do_not_import_each_other(tmp_path):
    package = tree(tmp_path, {"decoding/beam.py": "from ..tasks import translation\n"})
    (arrow,) = import_arrows.backwards(package)
    assert (arrow.source, arrow.target) == ("decoding", "tasks")


def test_the_ground_does_not_import_the_public_names(tmp_path):
    package = tree(tmp_path, {"errors.py": "from regard import attend\n"})
    (arrow,) = import_arrows.backwards(package)
    assert (arrow.source, arrow.target) == ("errors", "functional")


def test_a_part_without_a_place_is_reported(tmp_path):
    package = tree(tmp_path, {"attic/old.py": "from ..errors import ShapeError\n"})
    (arrow,) = import_arrows.backwards(package)
    assert "'attic' has no place in LAYERS yet" in str(arrow)
