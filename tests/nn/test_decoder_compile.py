"""``torch.compile`` and ``torch.export`` take a step of every decoder attention whole."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ATTENTIONS = ["bahdanau", "general", "local-m", "local-p", "gumbel"]
CASES = [
    *(f"{name} {what}" for name in ATTENTIONS for what in ("compiled", "exported")),
    *(f"{name} compiled, all steps" for name in ("bahdanau", "local-p")),
]


@pytest.fixture(scope="module")
def failures():
    """What went wrong in a process that has no shape checks, by case."""
    script = Path(__file__).with_name("compile_decoders.py")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("case", CASES)
def test_a_step_is_taken_whole(failures, case):
    assert failures[case] == ""


def test_every_case_of_the_child_is_looked_at(failures):
    assert sorted(failures) == sorted(CASES)
