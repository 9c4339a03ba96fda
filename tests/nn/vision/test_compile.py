"""``torch.compile`` takes every vision module whole, and ``torch.export`` too."""

import pytest

from nn.vision.cases import CASES


@pytest.fixture(scope="module")
def failures(forks):
    """What went wrong in a process that has no shape checks, by way and case."""
    return forks.found(__file__, "compile_child.py")


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("way", ["compile", "export"])
def test_a_module_is_taken_whole(failures, way, case):
    assert failures[f"{way} {case}"] == ""
