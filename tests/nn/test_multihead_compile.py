"""``torch.compile`` and ``torch.export`` take attention modules whole."""

import pytest

STATIC = ["causal", "grouped", "grouped causal", "alibi", "another length", "lengths"]
CASES = [f"{how} {name}" for how in ("compile", "export") for name in STATIC]
CASES += ["compile cross", "compile training"]


@pytest.fixture(scope="module")
def failures(forks):
    """What went wrong in a process that has no shape checks, by case."""
    return forks.found(__file__, "multihead_compile_child.py")


@pytest.mark.parametrize("case", CASES)
def test_attention_is_one_graph(failures, case):
    assert failures[case] == ""


def test_every_case_of_the_child_is_looked_at(failures):
    assert sorted(failures) == sorted(CASES)
