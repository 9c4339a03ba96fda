"""Every planted cause is the one that is found, and what the doctor says cures it."""

import pytest

from lens.doctor.planted import CASES
from regard.lens.doctor import CAUSES

STRENGTHS, SEEDS = range(3), range(5)
NORMAL = {cause.name for cause in CAUSES if cause.severity == "normal"}


def test_every_cause_is_planted():
    assert {cause.name for cause in CAUSES} == set(CASES)


@pytest.mark.parametrize("strength", STRENGTHS)
@pytest.mark.parametrize("cause", CASES)
def test_the_confusion_matrix_is_diagonal(cause, strength):
    for seed in SEEDS:
        found = CASES[cause](strength, seed, False)
        assert cause in found.causes, (seed, str(found))
        others = {one.cause for one in found if one.cause != cause} - NORMAL
        assert not others, (seed, str(found))


@pytest.mark.parametrize("strength", STRENGTHS)
@pytest.mark.parametrize("cause", CASES)
def test_what_the_doctor_says_cures_it(cause, strength):
    found = CASES[cause](strength, 0, True)
    assert cause not in found.causes, str(found)
    assert not found.of("broken"), str(found)


def test_every_cause_tells_its_sign_its_story_and_what_to_do():
    for cause in CAUSES:
        assert len(cause.sign) > 20
        assert len(cause.story) > 40
        assert cause.fix.endswith(".")
        assert cause.name == cause.name.strip()
