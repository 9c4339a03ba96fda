"""Where the benchmarks and the regard they measure are, for processes that must find both."""

import os
from pathlib import Path

import regard

ROOT = Path(__file__).resolve().parents[1]
"""The repository."""
SOURCE = Path(regard.__file__).resolve().parents[1]
"""The folder of the regard that runs now."""


def python_path(*folders: Path) -> str:
    """``PYTHONPATH`` with these folders before those of our own environment."""
    given = os.environ.get("PYTHONPATH")
    return os.pathsep.join([*map(str, folders), *([given] if given else [])])
