"""The door to the benchmarks: open in a checkout, one sentence outside of one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import regard
from regard.cli import bench

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def installed(tmp_path):
    """The package as a wheel leaves it: without what lies beside its sources."""
    site = tmp_path / "site"
    ignored = shutil.ignore_patterns("__pycache__", "*.safetensors")
    shutil.copytree(Path(regard.__file__).parent, site / "regard", ignore=ignored)

    def run(*words, folder):
        return subprocess.run(
            [sys.executable, *words],
            env=os.environ | {"PYTHONPATH": str(site)},
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_outside_of_a_checkout_it_is_said_where_benchmarks_live(installed, tmp_path):
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "command.py").write_text("raise RuntimeError('not ours')")
    done = installed("-m", "regard", "bench", "kernels", "--quick", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "regard: bench needs the folder benchmarks/ of regard's repository, which no package "
        "contains; run it in a checkout\n"
    )


@pytest.mark.parametrize("words", [("regard", "bench"), ("benchmarks",)], ids=" ".join)
def test_in_a_checkout_it_opens_whatever_is_installed(installed, words):
    done = installed("-m", *words, "kernels", "--repeats", "0", folder=ROOT)
    assert done.returncode == 2
    assert done.stderr == "regard: bench needs at least 1 repeat, got 0\n"


def test_beside_its_sources_it_opens_anywhere(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert bench.door().__module__ == "benchmarks.command"
