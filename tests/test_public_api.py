"""The public names are the promised ones, real, and free until used."""

import subprocess
import sys
from types import ModuleType

import pytest

import regard

PUBLIC = [
    "__version__",
    "attend",
    "catalogue",
    "cells",
    "errors",
    "explain",
    "lens",
    "load",
    "masks",
    "models",
    "nn",
    "normalisers",
    "plan",
    "positions",
    "scores",
    "statistics",
    "testing",
    "top_weights",
    "train",
    "weigh",
]
FUNCTIONS = ["attend", "explain", "load", "plan", "statistics", "top_weights", "train", "weigh"]
MODULES = [name for name in PUBLIC if name not in (*FUNCTIONS, "__version__")]
HEAVY = {"torch", "numpy", "numba", "rich", "cyclopts", "pydantic", "jaxtyping", "matplotlib"}


def python(code: str) -> str:
    """What a fresh interpreter prints, without the test run's import hooks."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_public_names_are_exactly_these():
    assert sorted(regard.__all__) == PUBLIC
    assert dir(regard) == PUBLIC


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_is_a_function_even_where_its_module_has_its_name(name):
    value = getattr(regard, name)
    assert callable(value)
    assert not isinstance(value, ModuleType)
    assert value.__name__ == name


@pytest.mark.parametrize("name", MODULES)
def test_a_public_family_is_a_module(name):
    assert isinstance(getattr(regard, name), ModuleType)


def test_attend_stays_the_function_after_its_module_is_imported(forks):
    code = (
        "import importlib, regard; "
        "module = importlib.import_module('regard.functional.attend'); "
        "print(regard.attend is module.attend)"
    )
    assert forks.run(code).output == "True\n"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'regard' has no attribute 'atend'"):
        _ = regard.atend


def test_importing_regard_imports_nothing_heavy():
    loaded = python("import sys, regard; print(*sorted({m.split('.')[0] for m in sys.modules}))")
    assert "regard" in loaded.split()
    assert HEAVY.isdisjoint(loaded.split())


def test_errors_come_without_torch():
    code = "import sys, regard; regard.errors.ShapeError; print('torch' in sys.modules)"
    assert python(code) == "False"


def test_the_version_is_the_installed_one():
    from importlib.metadata import version

    assert regard.__version__ == version("regard")
