"""Local attention: windows that are really gathered, around a step or a prediction."""

import jaxtyping
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.autograd import gradcheck
from torch.nn.utils.stateless import _reparametrize_module
from torch.testing import assert_close

from reference import decoder_attention as reference
from reference import scores as ref_scores
from regard import masks
from regard.errors import ChoiceError, DtypeError, RangeError
from regard.lens import capture
from regard.nn import LocalAttention, LuongAttention

LENGTHS = [9, 4, 1, 0]
TABLE = torch.tensor(
    [[1, 0, 1, 1, 0, 1, 1, 1, 1], [0, 0, 1, 0, 0, 0, 0, 0, 0], [1] * 9, [0] * 9]
).bool()


def vectors(*, batch=4, num_keys=9):
    shapes = ((5,), (num_keys, 3), (num_keys, 2))
    return [torch.randn(batch, *shape, dtype=torch.double) for shape in shapes]


def by_loops(attention, state, keys, values, allowed, step):
    """Context and weights of one state, from the parameters of the module."""
    weight = attention.key_proj.weight.tolist()
    row = [ref_scores.general(weight, state, k) for k in keys]
    if not attention.predictive:
        return reference.local(row, allowed, values, attention.half_width, step)
    length = max((i + 1 for i, may in enumerate(allowed) if may), default=0)
    predicted = reference.predicted_position(
        attention.position_v.tolist(), attention.position_proj.weight.tolist(), state, length
    )
    centre = round(predicted)
    return reference.local(row, allowed, values, attention.half_width, centre, predicted)


@pytest.mark.parametrize("mask", [torch.tensor(LENGTHS), TABLE], ids=["lengths", "booleans"])
@pytest.mark.parametrize("predictive", [False, True], ids=["local-m", "local-p"])
@settings(max_examples=15)
@given(half_width=st.integers(1, 10), step=st.integers(0, 12), seed=st.integers(0, 999))
def test_weights_and_context_are_those_of_the_equation(mask, predictive, half_width, step, seed):
    torch.manual_seed(seed)
    attention = LocalAttention(5, 3, half_width=half_width, predictive=predictive).double()
    state, keys, values = vectors()
    context, weights = attention(3 * state, attention.prepare(keys, mask, values=values), step=step)
    allowed = mask if mask.dtype == torch.bool else torch.arange(9) < mask[:, None]
    for b in range(4):
        expected = by_loops(
            attention, *((x.tolist()) for x in (3 * state[b], keys[b], values[b], allowed[b])), step
        )
        for found, numbers in zip((context[b], weights[b]), expected, strict=True):
            assert_close(found, torch.tensor(numbers, dtype=torch.double))


def test_a_window_over_everything_is_global_attention():
    local = LocalAttention(5, 3, half_width=20).double()
    everywhere = LuongAttention(5, 3, "general").double()
    everywhere.load_state_dict(local.state_dict())
    state, keys, _ = vectors()
    expected = everywhere(state, everywhere.prepare(keys))
    assert_close(local(state, local.prepare(keys), step=4), expected)


@pytest.mark.parametrize("score", ["dot", "concat", "location"])
def test_every_score_sees_its_window_as_the_global_one_masked(score):
    more = {"max_length": 9} if score == "location" else {}
    key_dim = 5 if score == "dot" else 3
    local = LocalAttention(5, key_dim, half_width=2, score=score, **more).double()
    everywhere = LuongAttention(5, key_dim, score, **more).double()
    everywhere.load_state_dict(local.state_dict())
    state, keys = torch.randn(2, 5).double(), torch.randn(2, 9, key_dim).double()
    window = (torch.arange(9) - 5).abs() <= 2
    expected = everywhere(state, everywhere.prepare(keys, window.expand(2, 9)))
    assert_close(local(state, local.prepare(keys), step=5), expected)


def test_what_lies_outside_the_window_is_never_read():
    attention = LocalAttention(5, 3, half_width=1).double()
    state, keys, values = vectors(batch=2)
    outside = (torch.arange(9) - 4).abs() > 1
    keys[:, outside], values[:, outside] = torch.nan, torch.nan
    context, weights = attention(state, attention.prepare(keys, values=values), step=4)
    assert context.isfinite().all()
    assert (weights[:, outside] == 0).all()


def test_many_steps_hold_windows_and_no_map():
    attention = LocalAttention(5, 3, half_width=2, predictive=True)
    keys, states = torch.randn(1, 3000, 3), torch.randn(1, 2000, 5)
    memory = attention.prepare(keys)
    largest = []

    def note(tensor):
        largest.append(tensor.numel())
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda x: x):
        attention.contexts(states.requires_grad_(), memory)
    assert max(largest) <= 2000 * 5 * 5  # a map would be 2000 × 3000


def test_each_sequence_may_be_at_a_step_of_its_own():
    attention = LocalAttention(5, 3, half_width=1).double()
    state, keys, _ = vectors(batch=2)
    memory = attention.prepare(keys)
    context, weights = attention(state, memory, step=torch.tensor([2, 6]))
    for b, step in enumerate((2, 6)):
        expected = attention(state[b : b + 1], attention.prepare(keys[b : b + 1]), step=step)
        assert_close((context[b : b + 1], weights[b : b + 1]), expected)


def test_all_steps_begin_where_they_are_told_to():
    attention = LocalAttention(5, 3, half_width=1).double()
    states, keys = torch.randn(2, 4, 5).double(), torch.randn(2, 9, 3).double()
    memory = attention.prepare(keys)
    later = attention.contexts(states[:, 1:], memory, step=1)
    assert_close(later, attention.contexts(states, memory)[:, 1:])
    each = attention.contexts(states[:, 1:], memory, step=torch.tensor([1, 1]))
    assert_close(each, later)


def test_a_window_behind_the_end_is_empty():
    attention = LocalAttention(5, 3, half_width=2).double()
    state, keys, _ = vectors(batch=2)
    memory = attention.prepare(keys, torch.tensor([4, 9]))
    _, weights = attention(state, memory, step=5)
    assert weights[0].nonzero().flatten().tolist() == [3]
    context, weights = attention(state, memory, step=6)
    assert (weights[0] == 0).all()
    assert (context[0] == 0).all()
    assert weights[1].nonzero().flatten().tolist() == [4, 5, 6, 7, 8]


@pytest.mark.parametrize("predictive", [False, True], ids=["local-m", "local-p"])
@pytest.mark.parametrize("score", ["general", "concat"])
def test_gradients_are_those_of_the_values(predictive, score):
    torch.manual_seed(3)  # centres that are not about to round to the next position
    attention = LocalAttention(5, 3, half_width=2, predictive=predictive, score=score).double()
    names = [name for name, _ in attention.named_parameters()]
    inputs = [x.requires_grad_() for x in vectors()]

    def run(state, keys, values, *parameters):
        with _reparametrize_module(attention, dict(zip(names, parameters, strict=True))):
            memory = attention.prepare(keys, torch.tensor(LENGTHS), values=values)
            return attention(state, memory, step=1)

    parameters = [p.detach().clone().requires_grad_() for p in attention.parameters()]
    assert gradcheck(run, (*inputs, *parameters), fast_mode=True)


def test_the_gradient_reaches_the_predicted_position():
    attention = LocalAttention(5, 3, half_width=2, predictive=True).double()
    state, keys, _ = vectors()
    attention(state, attention.prepare(keys))[0].square().sum().backward()
    assert attention.position_proj.weight.grad.abs().sum() > 0
    assert attention.position_v.grad.abs().sum() > 0


def test_a_centre_can_be_learned():
    attention = LocalAttention(5, 3, half_width=3, predictive=True, score="general")
    torch.nn.init.zeros_(attention.key_proj.weight)
    attention.key_proj.requires_grad_(False)
    memory = attention.prepare(torch.randn(1, 9, 3), values=torch.eye(9)[None])
    state = torch.ones(1, 5)
    optimiser = torch.optim.Adam([p for p in attention.parameters() if p.requires_grad], lr=0.1)
    for _ in range(30):
        optimiser.zero_grad()
        context, _ = attention(state, memory)
        (-context[0, 7]).backward()
        optimiser.step()
    assert abs(attention.centres(state[:, None], memory).item() - 7) < 0.3


def test_centres_are_a_share_of_each_length():
    attention = LocalAttention(5, 3, half_width=2, predictive=True).double()
    states, keys = torch.randn(2, 4, 5).double(), torch.randn(2, 9, 3).double()
    short = attention.centres(states, attention.prepare(keys, torch.tensor([3, 3])))
    long = attention.centres(states, attention.prepare(keys))
    assert_close(short * 3, long)
    assert ((long > 0) & (long < 9)).all()


def test_a_predicted_position_is_as_exact_under_autocast():
    """At 1,500 keys a centre in bfloat16 would be off by positions, and weights by 15 %."""
    torch.manual_seed(0)
    attention = LocalAttention(64, 5, half_width=10, predictive=True)
    state, keys = torch.randn(7, 64), torch.randn(7, 1500, 5)
    wanted = attention(state, attention.prepare(keys))[1]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        memory = attention.prepare(keys)
        exact = attention.centres(state.unsqueeze(-2), memory)
        weights = attention(state, memory)[1]
    assert_close(exact, attention.centres(state.unsqueeze(-2), memory))
    assert (weights - wanted).abs().max() <= 0.01 * wanted.max()
    for half in (torch.bfloat16, torch.float16):
        lowered = attention.to(half)
        found = lowered.centres(state.to(half).unsqueeze(-2), memory)
        attention.float()
        rounded = attention.centres(state.to(half).float().unsqueeze(-2), memory)
        assert_close(found, rounded)


def test_weights_around_a_prediction_sum_to_less_than_one():
    attention = LocalAttention(5, 3, half_width=2, predictive=True).double()
    state, keys, _ = vectors()
    _, weights = attention(state, attention.prepare(keys))
    assert (weights.sum(-1) < 1).all()
    assert (weights.sum(-1) > 0).all()


def test_any_mask_is_looked_up_once_and_stays():
    attention = LocalAttention(5, 3, half_width=2, predictive=True).double()
    state, keys, _ = vectors()
    mask = masks.padding(LENGTHS) & masks.dense(TABLE.unsqueeze(-2))
    allowed = TABLE & (torch.arange(9) < torch.tensor(LENGTHS)[:, None])
    expected = attention(state, attention.prepare(keys, allowed))
    memory = attention.prepare(keys, mask)
    assert isinstance(memory.mask, masks.Dense)
    assert_close(attention(state, memory), expected)


def test_a_watched_pass_over_many_steps_shows_all_keys():
    attention = LocalAttention(5, 3, half_width=1)
    states, keys = torch.randn(2, 4, 5), torch.randn(2, 9, 3)
    with capture(attention) as record:
        attention.contexts(states, attention.prepare(keys), step=2)
    assert record[""].weights.shape == (2, 4, 9)
    band = (torch.arange(9) - torch.arange(2, 6)[:, None]).abs() <= 1
    assert ((record[""].weights > 0) == band).all()


def test_a_look_at_no_keys_is_told_too():
    attention = LocalAttention(5, 3, half_width=1)
    with capture(attention) as record:
        attention(torch.randn(2, 5), attention.prepare(torch.randn(2, 0, 3)), step=2)
    assert record[""].weights.shape == (2, 1, 0)


@pytest.fixture
def as_users_call(monkeypatch):
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)


@pytest.mark.usefixtures("as_users_call")
class TestChoicesThatDoNotFit:
    def test_no_step_where_one_is_needed(self):
        attention = LocalAttention(5, 3, half_width=1)
        with pytest.raises(ChoiceError, match=r"pass step=t, or make it with predictive=True"):
            attention(torch.zeros(2, 5), attention.prepare(torch.zeros(2, 9, 3)))

    def test_a_step_before_the_first(self):
        attention = LocalAttention(5, 3, half_width=1)
        with pytest.raises(RangeError, match="a step of at least 0, got -1"):
            attention(torch.zeros(2, 5), attention.prepare(torch.zeros(2, 9, 3)), step=-1)

    def test_a_step_that_is_no_whole_number(self):
        attention = LocalAttention(5, 3, half_width=1)
        with pytest.raises(DtypeError, match="a whole number as step, got float"):
            attention(torch.zeros(2, 5), attention.prepare(torch.zeros(2, 9, 3)), step=1.0)

    def test_a_gaussian_of_no_width(self):
        with pytest.raises(RangeError, match="half_width of at least 1, since half of it is"):
            LocalAttention(5, 3, half_width=0, predictive=True)

    def test_a_negative_window(self):
        with pytest.raises(RangeError, match="half_width of at least 0, got -1"):
            LocalAttention(5, 3, half_width=-1)

    def test_centres_that_are_not_predicted(self):
        attention = LocalAttention(5, 3, half_width=1)
        with pytest.raises(ChoiceError, match="predicts centres with predictive=True only"):
            attention.centres(torch.zeros(2, 4, 5), attention.prepare(torch.zeros(2, 9, 3)))

    def test_lengths_longer_than_the_keys(self):
        attention = LocalAttention(5, 3, half_width=1)
        with pytest.raises(RangeError, match="lengths of at most 9, the number of keys, got 10"):
            attention.prepare(torch.zeros(2, 9, 3), torch.tensor([10, 2]))


def test_a_window_of_one_key_takes_it_whole():
    attention = LocalAttention(5, 3, half_width=0).double()
    state, keys, values = vectors(batch=2)
    context, weights = attention(state, attention.prepare(keys, values=values), step=3)
    assert_close(context, values[:, 3])
    assert weights.sum(-1).tolist() == weights[:, 3].tolist() == [1.0, 1.0]


def test_what_predicts_the_centres_may_learn_at_a_rate_of_its_own():
    attention = LocalAttention(3, 5, half_width=2, predictive=True)
    named = dict(attention.named_parameters())
    own = [named[name] for name in named if name.startswith("position_")]
    [(group, parameters)] = attention.rate_groups().items()
    assert group == "window_centres"
    assert {id(each) for each in parameters} == {id(each) for each in own}
    assert len(parameters) == len(own) == 2
    assert LocalAttention(3, 5, half_width=2).rate_groups() == {}
