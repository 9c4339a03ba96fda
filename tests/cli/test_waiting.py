"""Threads that wait do not keep the cores busy."""

import os
import re
import subprocess
import sys

import pytest

from regard.cli.app import DECISIONS, wait_asleep

SCRIPT = """
from regard.cli.app import main

main(["--version"])
import torch
"""


@pytest.mark.skipif(sys.platform != "linux", reason="GNU OpenMP")
def test_openmp_is_told_before_torch_loads_it():
    environment = {k: v for k, v in os.environ.items() if k not in DECISIONS}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=environment | {"OMP_DISPLAY_ENV": "verbose"},
        capture_output=True,
        text=True,
        check=True,
    )
    found = re.search(r"GOMP_SPINCOUNT = '(\d+)'", done.stderr)
    if found is None:
        pytest.skip("this torch has another OpenMP")
    assert int(found[1]) <= 10_000  # tenths of a millisecond; left alone it is 300,000


@pytest.mark.parametrize("name", DECISIONS)
def test_what_the_user_decided_stands(name, monkeypatch):
    monkeypatch.delitem(sys.modules, "torch")
    environment = {name: "active"}
    wait_asleep(environment)
    assert environment == {name: "active"}


def test_nothing_is_set_when_torch_is_there_already():
    environment = {}
    wait_asleep(environment)
    assert environment == {}
