"""Which way a recurrent layer runs is told, with its reason."""

import pytest
import torch

from regard.cells import GRU, LSTM
from regard.kernels.available import without_numba
from regard.models.rnn import fast

pytest.importorskip("numba")
X = torch.ones(2, 5, 3)


def after() -> GRU:
    return GRU(3, 7, reset="after")


def test_a_gru_that_resets_after_its_matrix_learns_compiled():
    assert fast.plan(after(), X).name == "compiled"


@pytest.mark.parametrize(
    ("cell", "x", "why"),
    [
        (LSTM(3, 7), X, "LSTM"),
        (GRU(3, 7, reset="before"), X, "two products a step"),
        (after(), X.double(), "float32 on a CPU"),
        (after().bfloat16(), X, "float32 on a CPU"),
    ],
)
def test_others_run_their_definition_and_it_is_said_why(cell, x, why):
    found = fast.plan(cell, x)
    assert found.name == "definition"
    assert why in found.why


def test_so_does_what_nothing_is_learned_from_or_what_others_see_through():
    with torch.no_grad():
        assert "without gradients" in fast.plan(after(), X).why
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert "autocast" in fast.plan(after(), X).why
    with without_numba():
        assert "numba" in fast.plan(after(), X).why
    cell, seen = after(), []
    torch.func.vmap(lambda x: seen.append(fast.plan(cell, x).why) or x)(X)
    assert "torch.func" in seen[0]
