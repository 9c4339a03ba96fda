"""``torch.compile`` and ``torch.export`` take a step of every decoder attention whole."""

import pytest

ATTENTIONS = ["bahdanau", "general", "local-m", "local-p", "gumbel"]
CASES = [
    *(f"{name} {what}" for name in ATTENTIONS for what in ("compiled", "exported")),
    *(f"{name} compiled, all steps" for name in ("bahdanau", "local-p")),
]


@pytest.fixture(scope="module")
def failures(forks):
    """What went wrong in a process that has no shape checks, by case."""
    return forks.found(__file__, "compile_decoders.py")


@pytest.mark.parametrize("case", CASES)
def test_a_step_is_taken_whole(failures, case):
    assert failures[case] == ""


def test_every_case_of_the_child_is_looked_at(failures):
    assert sorted(failures) == sorted(CASES)
