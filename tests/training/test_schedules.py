import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from regard.errors import RangeError
from regard.training.schedules import (
    Constant,
    Cosine,
    Exponential,
    InverseSquareRoot,
    Linear,
    Schedule,
    noam,
)

EVERY = [
    Constant(warmup=4),
    InverseSquareRoot(warmup=4),
    Linear(warmup=4, steps=20),
    Cosine(warmup=4, steps=20),
    Exponential(warmup=4, every=5),
]


@given(st.integers(1, 10**6), st.integers(1, 4096), st.integers(1, 20_000))
def test_noam_is_the_formula_of_the_paper(step, model_dim, warmup):
    expected = model_dim**-0.5 * min(step**-0.5, step * warmup**-1.5)
    assert noam(model_dim, warmup=warmup)(step) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("schedule", EVERY, ids=lambda schedule: schedule.kind)
def test_all_warm_up_along_a_straight_line_to_one(schedule):
    assert [schedule(step) for step in range(5)] == [0.0, 0.25, 0.5, 0.75, 1.0]


@pytest.mark.parametrize("schedule", EVERY, ids=lambda schedule: schedule.kind)
def test_none_rises_once_warm(schedule):
    factors = [schedule(step) for step in range(4, 60)]
    assert factors == sorted(factors, reverse=True)


def test_constant_stays():
    assert {Constant()(step) for step in (0, 1, 7, 10**9)} == {1.0}


def test_linear_meets_its_end_and_stays():
    schedule = Linear(warmup=10, steps=30, end=0.2)
    assert schedule(20) == pytest.approx(0.6)
    assert schedule(25) == pytest.approx(0.4)
    assert [schedule(step) for step in (30, 31, 999)] == [0.2, 0.2, 0.2]


def test_linear_is_torchs():
    parameter = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([parameter], lr=1.0)
    theirs = torch.optim.lr_scheduler.LinearLR(
        optimizer, start_factor=1.0, end_factor=0.3, total_iters=7
    )
    compare(Linear(steps=7, end=0.3), theirs, optimizer)


def test_cosine_is_torchs():
    parameter = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([parameter], lr=1.0)
    theirs = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=7, eta_min=0.1)
    compare(Cosine(steps=7, end=0.1), theirs, optimizer)


def compare(schedule, theirs, optimizer):
    for step in range(8):
        assert schedule(step) == pytest.approx(optimizer.param_groups[0]["lr"], abs=1e-9)
        optimizer.step()
        theirs.step()


def test_cosine_at_a_third_and_a_half():
    schedule = Cosine(warmup=2, steps=8)
    assert schedule(4) == pytest.approx((1 + math.cos(math.pi / 3)) / 2)
    assert schedule(5) == pytest.approx(0.5)
    assert schedule(8) == schedule(800) == pytest.approx(0.0)


def test_exponential_is_multiplied_once_every_so_many_steps():
    schedule = Exponential(warmup=3, rate=0.7, every=5)
    assert schedule(8) == pytest.approx(0.7)
    assert schedule(13) == pytest.approx(0.49)
    assert schedule(10) == pytest.approx(0.7**1.4)


@pytest.mark.parametrize("schedule", EVERY, ids=lambda schedule: schedule.kind)
def test_each_comes_back_from_a_configuration(schedule):
    adapter = TypeAdapter(Schedule)
    assert adapter.validate_json(adapter.dump_json(schedule)) == schedule


@pytest.mark.parametrize("schedule", EVERY, ids=lambda schedule: schedule.kind)
def test_a_negative_step_is_refused(schedule):
    with pytest.raises(RangeError, match="needs a step from 0 on, got -1"):
        schedule(-1)


@pytest.mark.parametrize("kind", [Linear, Cosine])
def test_a_warm_up_as_long_as_the_run_is_refused(kind):
    with pytest.raises(ValidationError, match="got warmup 9 and steps 9; warm up for fewer steps"):
        kind(warmup=9, steps=9)
