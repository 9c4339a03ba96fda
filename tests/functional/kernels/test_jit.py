"""When kernels are compiled, and what a user hears of it. In children: a process compiles once."""

import os
import subprocess
import sys

import pytest

from regard.functional.kernels.available import numba_available, without_numba

USE = """
import logging, sys, torch
logging.basicConfig(stream=sys.stdout, format="%(name)s: %(message)s")
from regard.functional.forms.tanh_pairing import tanh_pairing
from regard.functional.kernels.available import numba_available
print("available", numba_available(), "loaded", "numba" in sys.modules)
query = torch.randn(60, 64, requires_grad=True)
tanh_pairing(query, torch.randn(61, 64), torch.randn(64)).sum().backward()
print("finite", bool(query.grad.isfinite().all()), "loaded", "numba" in sys.modules)
"""

needs_numba = pytest.mark.skipif(not numba_available(), reason="numba is not installed")


def run(cache, **environment):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), **environment}
    child = subprocess.run(
        [sys.executable, "-c", USE], env=environment, capture_output=True, text=True, check=False
    )
    assert child.returncode == 0, child.stderr
    return child.stdout


@needs_numba
@pytest.mark.slow
def test_compilation_is_announced_once_per_machine(tmp_path):
    first, second = run(tmp_path), run(tmp_path)
    assert first.count("regard: compiling the kernels") == 1
    assert "compiling" not in second
    assert "finite True loaded True" in first and "finite True loaded True" in second


@needs_numba
@pytest.mark.slow
def test_kernels_work_where_nothing_can_be_written(tmp_path):
    nowhere = tmp_path / "file"
    nowhere.write_text("no folder")
    output = run(nowhere / "cache")
    assert "finite True loaded True" in output


def test_an_environment_variable_turns_the_kernels_off(tmp_path):
    output = run(tmp_path, REGARD_NUMBA="0")
    assert "available False" in output and "finite True loaded False" in output


@needs_numba
def test_kernels_can_be_turned_off_for_a_block():
    with without_numba():
        assert not numba_available()
        with without_numba():
            assert not numba_available()
        assert not numba_available()
    assert numba_available()
