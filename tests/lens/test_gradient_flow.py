"""The size of ∂h_T/∂h_t against closed forms and finite differences."""

import jaxtyping
import pytest
import torch
from torch.testing import assert_close

from regard.cells import GRU, LSTM, LSTMN, RNN, HiddenMemory, Stack
from regard.errors import ChoiceError, DtypeError, RangeError, ShapeError
from regard.lens import gradient_flow


def scalar_rnn(weight):
    cell = RNN(1, 1).double()
    with torch.no_grad():
        cell.hidden_proj.weight.fill_(weight)
        cell.input_proj.weight.fill_(1.0)
        cell.input_proj.bias.zero_()
    return cell


@pytest.mark.parametrize("weight", [0.5, 1.0, 1.5, -0.8])
def test_a_scalar_network_near_zero_shrinks_or_grows_by_its_weight(weight):
    flow = gradient_flow(scalar_rnn(weight), torch.zeros(7, 1, dtype=torch.double))
    expected = [abs(weight) ** distance for distance in range(7)]
    assert_close(flow, torch.tensor(expected, dtype=torch.double))


def test_a_scalar_network_follows_the_product_of_its_slopes():
    weight, x = 0.9, torch.tensor([0.3, -0.7, 1.1, 0.2], dtype=torch.double)
    states, h = [], torch.zeros((), dtype=torch.double)
    for x_t in x:
        h = torch.tanh(weight * h + x_t)
        states.append(h)
    slopes = [weight * (1 - h**2) for h in states]
    flow = gradient_flow(scalar_rnn(weight), x.unsqueeze(-1))
    expected = [torch.stack(slopes[4 - d :]).prod() if d else torch.tensor(1.0) for d in range(4)]
    assert_close(flow, torch.stack([value.double() for value in expected]))


def test_a_rotation_keeps_the_gradient_and_a_matrix_has_its_largest_singular_value():
    cell = RNN(3, 3).double()
    torch.nn.init.orthogonal_(cell.hidden_proj.weight)
    with torch.no_grad():
        cell.input_proj.bias.zero_()
    still = torch.zeros(2, 5, 3, dtype=torch.double)
    assert_close(gradient_flow(cell, still), torch.ones(5, dtype=torch.double))
    with torch.no_grad():
        cell.hidden_proj.weight.copy_(torch.diag(torch.tensor([0.5, 2.0, 1.0])))
    assert_close(gradient_flow(cell, still), 2.0 ** torch.arange(5, dtype=torch.double))


def differences(cell, x, state, after, part):
    """The Jacobian of the last hidden state by a part of the state after some steps."""
    eps, columns = 1e-6, []
    for unit in range(cell.hidden_dim):
        ends = []
        for sign in (1, -1):
            moved = state._asdict()
            moved[part] = moved[part].clone()
            moved[part][unit] += sign * eps
            if part == "memory":  # h_t is a function of c_t, too
                moved["hidden"] = after(moved["memory"])
            now = type(state)(**moved)
            for x_t in x:
                _, now = cell(x_t, now)
            ends.append(now.hidden)
        columns.append((ends[0] - ends[1]) / (2 * eps))
    return torch.stack(columns, dim=-1)


@pytest.mark.parametrize(
    ("cell", "part"),
    [
        (GRU(2, 3), "hidden"),
        (GRU(2, 3, reset="after"), "hidden"),
        (LSTM(2, 3), "hidden"),
        (LSTM(2, 3), "memory"),
    ],
    ids=["GRU before", "GRU after", "LSTM hidden", "LSTM memory"],
)
def test_gated_cells_agree_with_finite_differences(cell, part):
    cell.double().requires_grad_(False)
    x = torch.randn(5, 2, dtype=torch.double)
    state, expected = cell.start(), []
    for t in range(5):
        before, (_, state) = state, cell(x[t], state)
        shown = state.hidden / torch.tanh(state.memory) if isinstance(state, HiddenMemory) else None
        jacobian = differences(cell, x[t + 1 :], state, lambda c, o=shown: o * torch.tanh(c), part)
        expected.append(torch.linalg.svdvals(jacobian).max())
    assert before is not state
    cell.requires_grad_()
    assert_close(
        gradient_flow(cell, x, through=part), torch.stack(expected).flip(0), atol=1e-7, rtol=1e-6
    )


def test_a_batch_gives_the_mean_of_its_sequences():
    cell, x = GRU(2, 3).double(), torch.randn(2, 5, 4, 2, dtype=torch.double)
    alone = [gradient_flow(cell, one) for one in x.reshape(10, 4, 2)]
    assert_close(gradient_flow(cell, x), torch.stack(alone).mean(dim=0))


def test_attention_over_the_past_keeps_a_way_open():
    rnn = RNN(5, 7)
    lstmn = LSTMN(5, 7)
    far = [gradient_flow(cell, length=50)[45] for cell in (rnn, lstmn)]
    assert far[1] > 1000 * far[0]


def test_drawn_inputs_repeat_and_nothing_is_left_behind():
    cell = LSTM(5, 7)
    one, same, other = (
        gradient_flow(cell, length=6, generator=torch.Generator().manual_seed(seed))
        for seed in (1, 1, 2)
    )
    assert one.shape == (6,)
    assert torch.equal(one, same)
    assert not torch.equal(one, other)
    assert not one.requires_grad
    assert all(parameter.grad is None for parameter in cell.parameters())
    with torch.no_grad():
        assert gradient_flow(cell, length=3)[2] > 0


def test_a_frozen_or_low_precision_cell_is_measured_all_the_same():
    cell = GRU(5, 7)
    x = torch.randn(4, 5)
    expected = gradient_flow(cell, x)
    assert_close(gradient_flow(cell.requires_grad_(False), x), expected)
    assert_close(
        gradient_flow(cell.bfloat16(), x.bfloat16()).float(), expected, atol=0.05, rtol=0.05
    )


def test_mistakes_are_told(monkeypatch):
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
    with pytest.raises(ChoiceError, match="'hidden' and 'memory', RNN has hidden"):
        gradient_flow(RNN(3, 5), through="memory")
    with pytest.raises(ChoiceError, match="Stack has layers, masks"):
        gradient_flow(Stack([RNN(3, 5)]))
    with pytest.raises(ShapeError, match=r"width 3 and at least one step, got \(2, 4\)"):
        gradient_flow(RNN(3, 5), torch.randn(2, 4))
    with pytest.raises(ShapeError, match=r"at least one step, got \(0, 3\)"):
        gradient_flow(RNN(3, 5), torch.randn(0, 3))
    with pytest.raises(RangeError, match="a length of at least 1, got 0"):
        gradient_flow(RNN(3, 5), length=0)
    with pytest.raises(DtypeError, match="a whole number as length, got float"):
        gradient_flow(RNN(3, 5), length=2.5)
