"""A budget that changes on the way, and the schedule that follows it."""

import pytest

from regard.errors import ChoiceError
from regard.models import preset_config
from regard.tasks.translation import GrammarData, VocabularyConfig
from regard.training.config import Budget, RunConfig
from regard.training.resumption import replanned
from regard.training.schedules import Constant, Cosine, InverseSquareRoot, Linear
from regard.training.settings import OptimisationConfig


def config(schedule, **budget):
    return RunConfig(
        data=GrammarData(),
        vocabulary=VocabularyConfig(),
        model=preset_config("rnn-plain-small", source_vocab=11, target_vocab=11),
        optimisation=OptimisationConfig(schedule=schedule),
        budget=Budget(**budget),
    )


def test_what_is_not_said_of_a_budget_stays():
    before = config(Constant(), steps=20, patience=3)
    assert replanned(before, Budget(minutes=7), step=5).budget == Budget(
        steps=20, minutes=7, patience=3
    )
    assert replanned(before, Budget(patience=None), step=5).budget == Budget(steps=20)
    assert replanned(before, None, step=5) == before


@pytest.mark.parametrize("kind", [Linear, Cosine])
@pytest.mark.parametrize("steps", [40, 12])
def test_a_schedule_that_ends_with_the_budget_ends_with_the_new_one(kind, steps):
    found = replanned(config(kind(steps=20, warmup=4), steps=20), Budget(steps=steps), step=10)
    assert found.optimisation.schedule == kind(steps=steps, warmup=4)
    assert found.optimisation.schedule(steps - 1) > 0
    assert found.optimisation.schedule(steps) == pytest.approx(0)


def test_a_schedule_that_ends_elsewhere_is_left_alone_unless_it_ends_too_early():
    before = config(Linear(steps=100), steps=20)
    assert replanned(before, Budget(steps=30), step=20).optimisation == before.optimisation
    assert replanned(before, Budget(steps=150), step=20).optimisation.schedule(149) > 0


def test_a_budget_shorter_than_the_warm_up_is_still_one():
    found = replanned(config(Linear(steps=20, warmup=4), steps=20), Budget(steps=3), step=2)
    assert found.budget.steps == 3


@pytest.mark.parametrize("kind", [Linear, Cosine])
def test_a_schedule_at_its_end_is_refused_and_from_is_named(kind):
    before = config(kind(steps=20), steps=20)
    with pytest.raises(ChoiceError, match=r"after step 20 its rate is zero, .*with --init-from$"):
        replanned(before, Budget(steps=40), step=20)
    assert replanned(before, None, step=20) == before
    assert replanned(before, Budget(minutes=3), step=20).budget.minutes == 3


@pytest.mark.parametrize("schedule", [Linear(steps=20, end=0.1), InverseSquareRoot(warmup=5)])
def test_where_something_is_left_of_the_rate_more_steps_are_made(schedule):
    found = replanned(config(schedule, steps=20), Budget(steps=40), step=20)
    assert found.budget.steps == 40
    assert all(found.optimisation.schedule(step) > 0 for step in range(20, 41))
