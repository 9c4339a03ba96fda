"""Memory of attention: little, linear in the positions, and given back."""

import gc
import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from benchmarks.growth import exponent
from benchmarks.memory import child_environment
from regard import attend, scores

CHILD = Path(__file__).parent / "memory_child.py"
MEGABYTE = 1_000_000

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def measured(*words, numba=True):
    environment = {
        **child_environment("peak"),
        "GOMP_SPINCOUNT": "0",  # tests share the cores with other tests
        "REGARD_NUMBA": "1" if numba else "0",
    }
    command = [sys.executable, str(CHILD), *map(str, words)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def assert_little_and_linear(sizes, peaks):
    for name, bytes_at in peaks.items():
        assert max(bytes_at) <= 60 * MEGABYTE, (name, bytes_at)
        assert exponent(sizes, bytes_at) <= 1.15, (name, bytes_at)


def test_a_training_pass_over_8192_positions_takes_at_most_60_megabytes():
    sizes = [2048, 8192]
    assert_little_and_linear(sizes, measured("peaks", *sizes))


@pytest.mark.slow
@pytest.mark.parametrize("numba", [True, False])
def test_memory_grows_with_the_positions_and_not_with_their_square(numba):
    sizes = [2048, 4096, 8192]
    assert_little_and_linear(sizes, measured("peaks", *sizes, numba=numba))
    long = measured("peaks", 2048, 16384, numba=numba)
    assert all(exponent([2048, 16384], bytes_at) <= 1.15 for bytes_at in long.values()), long


def assert_flat(held):
    for name, readings in held.items():
        assert max(readings[1:]) - readings[1] < MEGABYTE, (name, readings)


def test_no_path_keeps_memory_from_call_to_call():
    assert_flat(measured("calls", 300))


@pytest.mark.slow
@pytest.mark.parametrize("numba", [True, False])
def test_five_thousand_calls_of_any_path_keep_nothing(numba):
    assert_flat(measured("calls", 5000, numba=numba))


@pytest.mark.parametrize("choices", ["additive", "sparsemax", "entmax15"])
def test_a_call_leaves_nothing_to_the_garbage_collector(choices):
    torch.set_num_threads(2)
    query, key, value = (torch.randn(2, 300, 16, requires_grad=True) for _ in range(3))
    how = {"normalise": choices}
    if choices == "additive":
        how = {"score": scores.Additive(torch.randn(16, requires_grad=True))}

    def run():
        attend(query, key, value, path="stream", **how).sum().backward()

    run()  # whatever is made once
    gc.collect()
    gc.disable()
    try:
        run()
        assert gc.collect() == 0
    finally:
        gc.enable()
