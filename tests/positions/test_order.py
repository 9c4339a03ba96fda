"""Attention alone sees a set; with positions it sees a sequence."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from regard import attend, positions, scores

HEADS, LENGTH, DIM = 2, 5, 4

JOINING = {
    "Sinusoidal": lambda: positions.Sinusoidal(DIM),
    "Learned": lambda: positions.Learned(LENGTH, DIM),
    "Linear": lambda: positions.Linear(DIM),
    "Grid2d": lambda: positions.Grid2d(1, LENGTH, DIM),
    "Rotary": lambda: positions.Rotary(DIM),
}
TERMS = {
    "Alibi": lambda: positions.Alibi(HEADS),
    "RelativeBias": lambda: positions.RelativeBias(HEADS, 2),
    "T5Bias": lambda: positions.T5Bias(HEADS, num_buckets=4, max_distance=3),
    "ShawKeys": lambda: positions.ShawKeys(DIM, 2),
}


def sentence():
    return torch.randn(HEADS, LENGTH, DIM, dtype=torch.float64)


@given(st.permutations(range(LENGTH)))
def test_without_positions_another_order_gives_the_same_vectors_in_that_order(order):
    x = sentence()
    mixed = x[:, order]
    assert_close(attend(mixed, mixed, mixed, score="dot"), attend(x, x, x, score="dot")[:, order])


@pytest.mark.parametrize("name", JOINING)
def test_a_position_of_the_vectors_tells_orders_apart(name):
    position, x = JOINING[name]().double(), sentence()

    def look(x):
        placed = position(x)
        return attend(placed, placed, x)

    assert (look(x.flip(1)) - look(x).flip(1)).abs().max() > 1e-4


@pytest.mark.parametrize("name", TERMS)
def test_a_position_in_the_score_tells_orders_apart(name):
    score, x = scores.ScaledDot() + TERMS[name]().double().term(), sentence()
    order = [1, 0, 2, 3, 4]
    mixed = x[:, order]
    found = attend(mixed, mixed, mixed, score=score)
    assert (found - attend(x, x, x, score=score)[:, order]).abs().max() > 1e-4
