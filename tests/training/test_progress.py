import math

import pytest

from regard.tasks.translation import TranslationTask
from regard.training import Validation
from regard.training.progress import Progress


def scores(**changes):
    usual = {"loss": 2.0, "bleu": 30.0, "chrf": 40.0, "exact": 0.5, "aer": None}
    return Validation(usual | changes)


def taken(measure, *values):
    """Progress after validations with these values, and which of them were the best so far."""
    progress, best = Progress(), []
    for step, value in enumerate(values, start=1):
        progress.step = 10 * step
        best.append(progress.take(scores(**{measure: value}), TranslationTask.measure(measure)))
    return progress, best


@pytest.mark.parametrize("measure", ["bleu", "chrf", "exact"])
def test_more_is_better(measure):
    progress, best = taken(measure, 0.3, 0.5, 0.4, 0.5, 0.6)
    assert best == [True, True, False, False, True]
    assert (progress.best, progress.best_step, progress.stale) == (0.6, 50, 0)


def test_of_the_loss_less_is_better():
    progress, best = taken("loss", 0.3, 0.5, 0.2, 0.4, 0.3)
    assert best == [True, False, True, False, False]
    assert (progress.best, progress.best_step, progress.stale) == (-0.2, 30, 2)
    assert progress.validated == 50


def test_what_is_no_number_is_never_better():
    progress, best = taken("loss", math.nan, 7.0, math.nan, 6.0)
    assert best == [True, True, False, True]
    assert progress.best == -6.0


def test_of_equally_good_ones_the_surest_is_best_and_patience_does_not_wait_for_it():
    progress, best = Progress(), []
    for loss in (0.9, 0.5, 0.7, math.nan, 0.4):
        progress.step += 10
        best.append(progress.take(scores(exact=1.0, loss=loss), TranslationTask.measure("exact")))
    assert best == [True, True, False, False, True]
    assert (progress.best, progress.best_step, progress.stale) == (1.0, 50, 4)
    assert not progress.take(scores(exact=0.9, loss=0.1), TranslationTask.measure("exact"))
    assert progress.take(scores(exact=1.1, loss=0.8), TranslationTask.measure("exact"))
    assert (progress.best_loss, progress.stale) == (0.8, 0)


def test_counters_of_earlier_versions_are_taken():
    progress, _ = taken("loss", 0.3)
    earlier = progress.state_dict()
    del earlier["best_loss"]
    other = Progress()
    other.load_state_dict(earlier)
    assert (other.best, other.best_loss) == (-0.3, None)


@pytest.mark.parametrize(
    ("measure", "value", "reached", "beyond"), [("bleu", 30.0, 29.0, 31.0), ("loss", 1.5, 1.6, 1.4)]
)
def test_a_goal_is_a_value_of_the_measure(measure, value, reached, beyond):
    progress, _ = taken(measure, value)
    measure = TranslationTask.measure(measure)
    assert progress.has_reached(reached, measure)
    assert progress.has_reached(value, measure)
    assert not progress.has_reached(beyond, measure)
    assert not Progress().has_reached(reached, measure)


def test_it_goes_on_from_its_state():
    progress, _ = taken("loss", 0.3, 0.5)
    other = Progress()
    other.load_state_dict(progress.state_dict())
    assert other == progress
