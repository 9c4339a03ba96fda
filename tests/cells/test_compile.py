"""``torch.compile`` and ``torch.export`` take a step of every cell whole."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cells.compile_child import CASES


@pytest.fixture(scope="module")
def failures():
    """What went wrong in a process that has no shape checks, by way and cell."""
    script = Path(__file__).with_name("compile_child.py")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize(("way", "name"), CASES)
def test_a_cell_is_taken_whole(failures, way, name):
    assert failures[f"{way} of {name}"] == ""
