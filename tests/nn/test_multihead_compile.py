"""``torch.compile`` and ``torch.export`` take attention modules whole."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

STATIC = ["causal", "grouped", "grouped causal", "alibi", "another length", "lengths"]
CASES = [f"{how} {name}" for how in ("compile", "export") for name in STATIC]
CASES += ["compile cross", "compile training"]


@pytest.fixture(scope="module")
def failures():
    """What went wrong in a process that has no shape checks, by case."""
    script = Path(__file__).with_name("multihead_compile_child.py")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("case", CASES)
def test_attention_is_one_graph(failures, case):
    assert failures[case] == ""


def test_every_case_of_the_child_is_looked_at(failures):
    assert sorted(failures) == sorted(CASES)
