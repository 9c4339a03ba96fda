"""Torch's kernels run where they compute what the cell defines, and nowhere else."""

import pytest
import torch
from torch.testing import assert_close

from regard.cells import GRU, LSTM, RNN, HiddenMemory, Recurrent, Stack
from regard.cells.base import Cell

FUSED = {
    "RNN": lambda: RNN(3, 5),
    "LSTM": lambda: LSTM(3, 5),
    "GRU": lambda: GRU(3, 5, reset="after"),
}


@pytest.fixture(params=FUSED)
def cell(request):
    return FUSED[request.param]().double()


@pytest.fixture
def steps(monkeypatch):
    """How often a cell was asked for a single step."""
    taken = []
    for kind in (RNN, LSTM, GRU):
        step = kind.forward

        def counted(self, *given, _step=step, **named):
            taken.append(type(self).__name__)
            return _step(self, *given, **named)

        # The mark of a cell's own step is where it is defined, so that it stays there.
        monkeypatch.setattr(kind, "forward", counted)
    return taken


@pytest.mark.parametrize("lengths", [None, [2, 4], [0, 1]], ids=str)
def test_kernel_and_steps_agree_in_value_and_gradient(cell, lengths):
    lengths = None if lengths is None else torch.tensor(lengths)
    x = torch.randn(2, 4, 3, dtype=torch.double)
    begin = [torch.randn(2, 5, dtype=torch.double) for _ in cell.start(2)]
    found = []
    for run in (Recurrent(cell), lambda *given, **named: Cell.run(cell, *given, **named)):
        given = [part.clone().requires_grad_() for part in (x, *begin)]
        outputs, after = run(given[0], type(cell.start(2))(*given[1:]), lengths=lengths)
        loss = (outputs * torch.arange(5)).sum() + sum(part.square().sum() for part in after)
        grads = torch.autograd.grad(loss, [*given, *cell.parameters()])
        found.append([outputs, *after, *grads])
    for fused, stepwise in zip(*found, strict=True):
        assert_close(fused, stepwise)


def test_the_kernel_takes_no_single_steps(cell, steps):
    Recurrent(cell)(torch.randn(2, 4, 3, dtype=torch.double))
    Recurrent(cell)(torch.randn(2, 4, 3, dtype=torch.double), lengths=torch.tensor([4, 1]))
    assert steps == []


def test_layers_of_a_stack_run_in_the_kernel(steps):
    Recurrent(Stack([LSTM(3, 5), RNN(5, 5)], residual_from=2))(torch.randn(2, 4, 3))
    assert steps == []


def test_steps_are_taken_one_by_one_under_variational_dropout(steps):
    Recurrent(Stack([LSTM(3, 5)], variational=0.5))(torch.randn(2, 4, 3))
    assert steps == ["LSTM"] * 4


def test_steps_are_taken_one_by_one_where_hooks_wait_for_them(cell):
    seen = []
    cell.register_forward_hook(lambda module, given, made: seen.append(made[0]))
    outputs, _ = Recurrent(cell)(torch.randn(2, 4, 3, dtype=torch.double))
    assert_close(torch.stack(seen, dim=1), outputs)


def test_reset_before_the_matrix_has_no_kernel(steps):
    Recurrent(GRU(3, 5))(torch.randn(2, 4, 3))
    assert steps == ["GRU"] * 4


def test_a_cell_with_a_step_of_its_own_takes_it():
    class Frozen(LSTM):
        def forward(self, x, state, *, hidden_mask=None):
            return state.hidden, state

    cell = Frozen(3, 5)
    begin = HiddenMemory(torch.randn(2, 5), torch.randn(2, 5))
    outputs, after = Recurrent(cell)(torch.randn(2, 4, 3), begin)
    assert_close(outputs, begin.hidden.unsqueeze(1).expand(2, 4, 5))
    assert after is begin


def test_a_cell_that_only_has_another_name_runs_in_the_kernel():
    class Renamed(LSTM):
        pass

    assert Renamed(3, 5).fusable()
