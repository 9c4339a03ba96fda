"""Long runs and long texts: what was done is not kept."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.memory import child_environment

CHILD = Path(__file__).parent / "memory_child.py"
MEGABYTE = 1_000_000

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def held(what, folder, count):
    done = subprocess.run(
        [sys.executable, str(CHILD), what, str(folder), str(count)],
        env=child_environment("peak"),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("what", "count"), [("training", 500), ("translating", 5000)], ids=lambda one: str(one)
)
def test_memory_stays_as_it_is(what, count, tmp_path):
    readings = held(what, tmp_path, count)
    assert len(readings) == 5
    assert max(readings[1:]) - readings[1] < 2 * MEGABYTE, readings
