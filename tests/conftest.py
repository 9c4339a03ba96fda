"""What every test starts from: one torch thread, one seed, one place for compiled kernels."""

import gc
import logging
import os
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

# Before torch is loaded, in each worker and child: threads that wait let other tests have the core.
os.environ.setdefault("GOMP_SPINCOUNT", "0")

import jaxtyping
import pytest
import torch
from hypothesis import HealthCheck, settings

import shape_checks
from forks import Forks
from forks import forks as forked
from hearing import hearing
from logged import Logged, logged

# Nothing above imports numba: what it compiles outlives the run, for every worker and child.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).parent.parent / ".numba_cache"))

settings.register_profile(
    "regard",
    deadline=None,
    derandomize=True,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],  # it says how busy the machine is
)
settings.load_profile("regard")

torch.set_num_threads(1)  # for what modules make before their first test, too
logging.getLogger().addHandler(logging.NullHandler())  # or what is logged goes to stderr


class AsWritten:
    """Imports some packages as they are written.

    ``--jaxtyping-packages`` wraps every function in a checker. Numba cannot compile one, and where
    there is no array there is no shape to check, only time to be lost.
    """

    PACKAGES = (
        "regard.kernels",
        *(f"regard.data.{name}" for name in ("datasets", "grammar", "pairs", "vocabulary")),
        "regard.cli",
    )

    @classmethod
    def find_spec(cls, name, path=None, target=None) -> ModuleSpec | None:
        if any(name == package or name.startswith(package + ".") for package in cls.PACKAGES):
            return PathFinder.find_spec(name, path, target)
        return None


sys.meta_path.insert(0, AsWritten)
shape_checks.install()


def pytest_collection_finish() -> None:
    """Fifteen thousand tests and all modules stay: no later collection need walk them again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _same_start() -> None:
    """One thread, because tests run side by side; one seed, because they must repeat."""
    torch.set_num_threads(1)
    # torch.manual_seed(0) as far as the CPU goes, without a walk up the stack for each device.
    torch.default_generator.manual_seed(0)


@pytest.fixture(scope="session")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    """Runs scripts that compile: without shape checks, and torch is imported once for all."""
    imports = ("torch", "torch._dynamo", "torch.export")
    with forked(tmp_path_factory.mktemp("said"), *imports) as found:
        yield found


@pytest.fixture
def caplog() -> Iterator[Logged]:
    """What is logged while the test runs."""
    with logged() as found:
        yield found


@pytest.fixture(scope="module")
def heard() -> Iterator[None]:
    """Signals that tests send themselves arrive, also where ``nohup`` or ``&`` has them ignored."""
    with hearing():
        yield


@pytest.fixture
def without_shape_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls the package as a user does: shapes in signatures are hints, our errors answer.

    For bad input, and for loops of hundreds of steps, whose every call would be checked again.
    """
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
