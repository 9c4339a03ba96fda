"""``torch.compile`` and ``torch.export`` take a step of every cell whole."""

import pytest

from cells.compile_child import CASES


@pytest.fixture(scope="module")
def failures(forks):
    """What went wrong in a process that has no shape checks, by way and cell."""
    return forks.found(__file__, "compile_child.py")


@pytest.mark.parametrize(("way", "name"), CASES)
def test_a_cell_is_taken_whole(failures, way, name):
    assert failures[f"{way} of {name}"] == ""
