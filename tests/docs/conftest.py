"""The root of the project, its pages, and the settings of its site."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted((ROOT / "docs").glob("*.md"))


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "page" in metafunc.fixturenames:
        metafunc.parametrize("page", PAGES, ids=lambda page: page.name)
