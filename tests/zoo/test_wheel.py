"""The toolkit's wheel is small and holds no weights; those of regard-zoo hold all of them."""

import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from regard.zoo import ZOO

pytest.importorskip("hatchling", reason="needs the tool that builds wheels: hatchling")

ROOT = Path(__file__).parents[2]
LARGEST = 1_700_000
"""Bytes of the toolkit's wheel."""
WEIGHTS = (".safetensors", ".bin", ".pt", ".pth", ".onnx", ".npy", ".npz", ".model")
NEEDED = ("pyproject.toml", "README.md", "LICENSE", "LICENSE-WEIGHTS.md", "regard_zoo/__init__.py")


def wheel(project: Path, target: Path) -> ZipFile:
    """What a project is installed from."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)]
    subprocess.run(command, cwd=project, capture_output=True, check=True)
    [built] = target.glob("*.whl")
    return ZipFile(built)


def test_the_wheel_of_the_toolkit_is_small_and_holds_no_weights(tmp_path):
    built = wheel(ROOT, tmp_path)
    assert Path(str(built.filename)).stat().st_size < LARGEST
    inside = built.namelist()
    assert "regard/zoo/shelf.py" in inside and "regard/py.typed" in inside
    assert [name for name in inside if name.endswith(WEIGHTS)] == []
    assert [name for name in inside if not name.startswith(("regard/", "regard-"))] == []


def test_every_file_of_a_model_is_packed_into_the_wheel_of_the_zoo(packed, tmp_path):
    project = tmp_path / "project"
    for name in NEEDED:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "zoo" / name, project / name)
    shutil.copytree(packed.folder, project / "regard_zoo/bo-ti")
    inside = wheel(project, tmp_path).namelist()
    needed = [path for path in packed.folder.rglob("*") if path.is_file()]
    assert {name for name in inside if name.startswith("regard_zoo/bo-ti/")} == {
        f"regard_zoo/bo-ti/{path.relative_to(packed.folder).as_posix()}" for path in needed
    }
    assert {name.rpartition("/")[2] for name in inside} >= {"LICENSE", "LICENSE-WEIGHTS.md"}


def test_the_zoo_of_the_clone_is_the_one_that_is_found():
    found = {place.name for place in (ROOT / "zoo" / "regard_zoo").iterdir()}
    assert ZOO.names and {*ZOO.names} <= found
    licences = (ROOT / "zoo" / "LICENSE-WEIGHTS.md").read_text()
    assert [name for name in ZOO.names if f"`{name}`" not in licences] == []
