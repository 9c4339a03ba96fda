"""``torch.compile`` takes the fused path whole."""

import pytest

CASES = [
    "plain",
    "causal",
    "padding",
    "causal and padding",
    "tensor",
    "dot",
    "cosine",
    "general",
    "location",
    "euclidean",
    "gaussian in proportion",
    "alibi",
    "mask made inside",
    "chosen by itself",
    "far distances",
    "in a window",
    "junk behind the end",
    "junk unlisted",
]


@pytest.fixture(scope="module")
def failures(forks):
    """What went wrong in a process that has no shape checks, by case."""
    return forks.found(__file__, "compile_child.py")


@pytest.mark.parametrize("case", CASES)
def test_the_fused_path_compiles_without_a_graph_break(failures, case):
    assert failures[case] == ""


def test_every_case_of_the_child_is_looked_at(failures):
    assert sorted(failures) == sorted(CASES)
