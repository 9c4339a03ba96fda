"""Explaining long texts takes little memory: no tensor of pairs and features, no map."""

import json
import subprocess
import sys

import pytest

from benchmarks.lens.explaining import MOST_NORMS, MOST_WITHOUT
from benchmarks.memory import child_environment

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def test_value_norms_of_512_tokens_and_gradient_times_attention_of_4k_take_little():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.lens", "--memory"],
        env=child_environment("peak"), capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = {line["job"]: line["MB"] for line in map(json.loads, done.stdout.splitlines())}
    assert 5 < found["value norms of 512"] < MOST_NORMS == 200
    assert 5 < found["gradient × attention of 4k"] < MOST_WITHOUT
