"""``torch.compile`` takes every vision module whole, and ``torch.export`` too."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from nn.vision.cases import CASES


@pytest.fixture(scope="module")
def failures():
    """What went wrong in a process that has no shape checks, by way and case."""
    script = Path(__file__).with_name("compile_child.py")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("way", ["compile", "export"])
def test_a_module_is_taken_whole(failures, way, case):
    assert failures[f"{way} {case}"] == ""
