"""What every test starts from: one torch thread, one seed, one place for compiled kernels."""

import os
import sys
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

import jaxtyping
import pytest
import torch
from hypothesis import settings

# Nothing above imports numba: what it compiles outlives the run, for every worker and child.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).parent.parent / ".numba_cache"))

settings.register_profile("regard", deadline=None, derandomize=True)
settings.load_profile("regard")


class PlainKernels:
    """Imports ``regard.kernels`` as it is written.

    ``--jaxtyping-packages`` wraps every function in a checker, and numba cannot compile one.
    """

    PACKAGE = "regard.kernels"

    @classmethod
    def find_spec(cls, name, path=None, target=None) -> ModuleSpec | None:
        if name == cls.PACKAGE or name.startswith(cls.PACKAGE + "."):
            return PathFinder.find_spec(name, path, target)
        return None


sys.meta_path.insert(0, PlainKernels)


@pytest.fixture(autouse=True)
def _same_start() -> None:
    """One thread, because tests run side by side; one seed, because they must repeat."""
    torch.set_num_threads(1)
    torch.manual_seed(0)


@pytest.fixture
def without_shape_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls the package as a user does: shapes in signatures are hints, our errors answer.

    For bad input, and for loops of hundreds of steps, whose every call would be checked again.
    """
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
