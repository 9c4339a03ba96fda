"""When kernels are compiled, and what a user hears of it. In children: a process compiles once."""

import os
import subprocess
import sys

import pytest

from regard.kernels.available import numba_available, without_numba

USE = """
import logging, sys, torch
logging.basicConfig(stream=sys.stdout, format="%(name)s: %(message)s")
from regard.functional.forms.tanh import tanh_pairing
from regard.kernels.available import numba_available
print("available", numba_available(), "loaded", "numba" in sys.modules)
query = torch.randn(60, 64, requires_grad=True)
tanh_pairing(query, torch.randn(61, 64), torch.randn(64)).sum().backward()
print("finite", bool(query.grad.isfinite().all()), "loaded", "numba" in sys.modules)
"""

SCALE = """
import sys
from pathlib import Path
from regard.kernels import jit
sys.path[:0] = sys.argv[1:]
jit.SOURCES = Path(sys.argv[1])
from scaled import scaled
print(scaled(3.0), sum(scaled.stats.cache_hits.values()))
"""
SCALED = """
from factor import factor
from regard.kernels.jit import jit
@jit()
def scaled(number):
    return number * factor()
"""
FACTOR = """
from regard.kernels.jit import jit
@jit()
def factor():
    return {}
"""

needs_numba = pytest.mark.skipif(not numba_available(), reason="numba is not installed")


def run(cache, *words, program=USE, **environment):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), **environment}
    child = subprocess.run(
        [sys.executable, "-c", program, *words],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    return child.stdout


@needs_numba
@pytest.mark.slow
def test_compilation_is_announced_once_per_machine(tmp_path):
    first, second = run(tmp_path), run(tmp_path)
    assert first.count("regard: compiling kernels") == 1
    assert "compiling" not in second
    assert "finite True loaded True" in first and "finite True loaded True" in second


@needs_numba
@pytest.mark.slow
def test_kernels_work_where_nothing_can_be_written(tmp_path):
    nowhere = tmp_path / "file"
    nowhere.write_text("no folder")
    output = run(nowhere / "cache")
    assert "finite True loaded True" in output


@needs_numba
def test_kernels_are_compiled_again_when_what_they_call_has_changed(tmp_path):
    def found(factor):
        (tmp_path / "factor.py").write_text(FACTOR.format(factor))
        return run(tmp_path / "cache", str(tmp_path), program=SCALE).split()

    (tmp_path / "scaled.py").write_text(SCALED)
    assert found(2.0) == ["6.0", "0"]
    assert found(2.0) == ["6.0", "1"]
    assert found(15.0) == ["45.0", "0"]  # another length: bytecode knows a file by size and second


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
