"""The root of the project, its pages, and the settings of its site."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted((ROOT / "docs").glob("*.md"))


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def shown() -> Callable[[str], Any]:
    """What the example of a mechanism shows, by its name; made once."""
    from docs.examples import EXAMPLES

    return cache(lambda name: EXAMPLES[name].run())


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "page" in metafunc.fixturenames:
        metafunc.parametrize("page", PAGES, ids=lambda page: page.name)
