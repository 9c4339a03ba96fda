"""What is in the zoo is in the wheel."""

import os
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from zipfile import ZipFile

import pytest

from regard.zoo import ZOO

ROOT = Path(__file__).parents[2]
NEEDED = ("pyproject.toml", "README.md", "LICENSE", ".gitignore", "src/regard/__init__.py")


def test_the_zoo_lies_in_the_package():
    found = {place.name for place in files("regard.zoo").iterdir()}
    assert {"shelf.py", *ZOO.names} <= found


def test_every_file_of_a_translator_is_packed_into_the_wheel(packed, tmp_path):
    try:
        version("hatchling")
    except PackageNotFoundError:
        pytest.skip("needs the tool that builds wheels: hatchling")
    project = tmp_path / "project"
    for name in NEEDED:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, project / name)
    shutil.copytree(packed.folder, project / "src/regard/zoo/bo-ti")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=project, env=os.environ, capture_output=True, check=True)
    [wheel] = tmp_path.glob("*.whl")
    inside = {name for name in ZipFile(wheel).namelist() if name.startswith("regard/zoo/bo-ti/")}
    needed = [path for path in packed.folder.rglob("*") if path.is_file()]
    assert inside == {f"regard/zoo/bo-ti/{p.relative_to(packed.folder).as_posix()}" for p in needed}
