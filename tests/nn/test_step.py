"""One protocol for every attention inside a decoder, kept by all of them."""

import copy

import pytest
import torch
from torch.testing import assert_close

from regard import masks
from regard.errors import DtypeError, ShapeError
from regard.lens import capture
from regard.nn import BahdanauAttention, HardAttention, LocalAttention, LuongAttention

B, Q, K, DQ, DK, E = 2, 3, 7, 5, 4, 6
STEP = {"step": 2}
ATTENTIONS = {
    "bahdanau": (lambda: BahdanauAttention(DQ, DK, 3), {}),
    "general": (lambda: LuongAttention(DQ, DK, "general"), {}),
    "location": (lambda: LuongAttention(DQ, DK, "location", max_length=9), {}),
    "local-m": (lambda: LocalAttention(DQ, DK, half_width=1), STEP),
    "local-p": (lambda: LocalAttention(DQ, DK, half_width=2, predictive=True), {}),
    "hard": (lambda: HardAttention(DQ, DK).eval(), {}),
}
MASKS = {
    "lengths": torch.tensor([4, 7]),
    "booleans": torch.tensor([[1, 1, 0, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1, 1]]).bool(),
}


@pytest.fixture(params=ATTENTIONS)
def case(request):
    """An attention, what its forward needs beside state and memory, and vectors that fit it."""
    make, more = ATTENTIONS[request.param]
    attention = make().double()
    state, keys, values = (
        torch.randn(*shape, dtype=torch.double)
        for shape in ((B, DQ), (B, K, attention.key_dim), (B, K, E))
    )
    return attention, more, state, keys, values


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_weights_lie_on_allowed_keys_and_the_context_is_pooled_with_them(case, mask):
    attention, more, state, keys, values = case
    context, weights = attention(state, attention.prepare(keys, mask, values=values), **more)
    allowed = torch.arange(K) < mask[:, None] if mask.dim() == 1 else mask
    assert (weights[~allowed] == 0).all()
    assert (weights >= 0).all()
    if not isinstance(attention, HardAttention):
        assert_close(context, torch.einsum("bk,bke->be", weights, values))
    if not getattr(attention, "predictive", False):
        assert_close(weights.sum(-1), torch.ones(B, dtype=torch.double))


def test_without_values_the_keys_are_pooled(case):
    attention, more, state, keys, _ = case
    context, _ = attention(state, attention.prepare(keys), **more)
    expected, _ = attention(state, attention.prepare(keys, values=keys), **more)
    assert_close(context, expected)


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_all_steps_at_once_are_the_steps_one_by_one(case, mask):
    attention, more, _, keys, values = case
    states = torch.randn(B, Q, DQ, dtype=torch.double)
    memory = attention.prepare(keys, mask, values=values)
    steps = [attention(states[:, t], memory, **({"step": t} if more else {}))[0] for t in range(Q)]
    assert_close(attention.contexts(states, memory), torch.stack(steps, dim=1))


def test_what_stands_in_the_padding_changes_nothing(case):
    attention, more, state, keys, values = case
    lengths = torch.tensor([4, 7])
    padded = torch.arange(K)[:, None] >= lengths[:, None, None]
    other_keys = torch.where(padded, torch.full_like(keys, 1e3), keys)
    other_values = torch.where(padded, torch.full_like(values, -1e3), values)
    once = attention(state, attention.prepare(keys, lengths, values=values), **more)
    again = attention(state, attention.prepare(other_keys, lengths, values=other_values), **more)
    assert_close(again, once)


def test_more_padding_changes_nothing(case):
    attention, more, state, keys, values = case
    lengths = torch.tensor([4, 5])
    longer = attention(state, attention.prepare(keys, lengths, values=values), **more)
    cut = attention.prepare(keys[:, :5], lengths, values=values[:, :5])
    shorter = attention(state, cut, **more)
    assert_close(longer[0], shorter[0])
    assert_close(longer[1][:, :5], shorter[1])


def test_a_batch_of_one_is_a_row_of_the_batch(case):
    attention, more, state, keys, values = case
    context, weights = attention(state, attention.prepare(keys, values=values), **more)
    one = attention.prepare(keys[1:], values=values[1:])
    assert_close(attention(state[1:], one, **more), (context[1:], weights[1:]))


@pytest.mark.parametrize(
    "mask", [torch.tensor([0, 7]), torch.tensor([[False], [True]]).repeat(1, K)]
)
def test_a_sequence_without_keys_gets_zeros_and_a_zero_gradient(case, mask):
    attention, more, state, keys, values = case
    state, keys, values = (x.requires_grad_() for x in (state, keys, values))
    memory = attention.prepare(keys, mask, values=values)
    context, weights = attention(state, memory, **more)
    assert (context[0] == 0).all()
    assert (weights[0] == 0).all()
    assert (context[1] != 0).all()
    (context.sum() + weights.square().sum()).backward()
    for x in (state, keys, values):
        if x.grad is not None:
            assert (x.grad[0] == 0).all()
            assert x.grad.isfinite().all()
    for parameter in attention.parameters():
        assert parameter.grad is None or parameter.grad.isfinite().all()


def test_a_memory_of_no_keys_at_all_gives_a_zero_context(case):
    attention, more, state, keys, values = case
    memory = attention.prepare(keys[:, :0], values=values[:, :0])
    context, weights = attention(state, memory, **more)
    assert_close(context, torch.zeros(B, E, dtype=torch.double))
    assert weights.shape == (B, 0)
    states = state.unsqueeze(1).expand(B, Q, DQ)
    assert_close(attention.contexts(states, memory), torch.zeros(B, Q, E, dtype=torch.double))


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_a_reordered_memory_is_that_of_the_reordered_sequences(case, mask):
    attention, more, _, keys, values = case
    rows = torch.tensor([1, 0, 1])
    state = torch.randn(3, DQ, dtype=torch.double)
    found = attention.prepare(keys, mask, values=values).reorder(rows)
    made = attention.prepare(keys[rows], mask[rows], values=values[rows])
    assert_close(attention(state, found, **more), attention(state, made, **more))


def test_states_may_share_one_memory(case):
    attention, more, _, keys, values = case
    state = torch.randn(3, DQ, dtype=torch.double)
    shared = attention.prepare(keys[:1], torch.tensor([6]), values=values[:1])
    each = shared.reorder(torch.tensor([0, 0, 0]))
    assert_close(attention(state, shared, **more), attention(state, each, **more))
    states = state.unsqueeze(1).repeat(1, Q, 1)
    assert_close(attention.contexts(states, shared), attention.contexts(states, each))


def test_more_leading_axes_are_as_many_batches(case):
    attention, more, _, keys, values = case
    state = torch.randn(B, 3, DQ, dtype=torch.double)
    keys, values = (torch.randn(B, 3, *x.shape[1:], dtype=torch.double) for x in (keys, values))
    lengths = torch.tensor([[4, 7, 1], [2, 3, 7]])
    context, weights = attention(state, attention.prepare(keys, lengths, values=values), **more)
    flat = attention.prepare(keys.flatten(0, 1), lengths.flatten(), values=values.flatten(0, 1))
    expected = attention(state.flatten(0, 1), flat, **more)
    assert_close((context.flatten(0, 1), weights.flatten(0, 1)), expected)


def test_one_sequence_needs_no_batch_axis(case):
    attention, more, state, keys, values = case
    context, weights = attention(state[0], attention.prepare(keys[0], values=values[0]), **more)
    expected = attention(state[:1], attention.prepare(keys[:1], values=values[:1]), **more)
    assert_close((context[None], weights[None]), expected)


def test_capture_sees_every_step_and_all_steps_alike(case):
    attention, more, _, keys, values = case
    states = torch.randn(B, Q, DQ, dtype=torch.double)
    memory = attention.prepare(keys, torch.tensor([4, 7]), values=values)
    with capture(attention) as record:
        steps = [
            attention(states[:, t], memory, **({"step": t} if more else {}))[1] for t in range(Q)
        ]
    stacked = torch.stack(steps, dim=1)
    assert_close(record[""].weights, stacked)
    with capture(attention) as record:
        attention.contexts(states, memory)
    (look,) = record[""].looks
    assert_close(look.weigh(), stacked)
    assert_close(look.weigh(rows=1), stacked[:, 1])
    assert_close(look.weigh(rows=slice(1, 3), heads=0), stacked[0, 1:3])
    assert not look.weigh().requires_grad


def test_a_copy_and_a_loaded_state_give_the_same_numbers(case, request):
    attention, more, state, keys, values = case
    make, _ = ATTENTIONS[request.node.callspec.params["case"]]
    loaded = make().double()
    loaded.load_state_dict(attention.state_dict())
    expected = attention(state, attention.prepare(keys, values=values), **more)
    for other in (copy.deepcopy(attention), loaded):
        assert_close(other(state, other.prepare(keys, values=values), **more), expected)


@pytest.mark.parametrize("dtype", [torch.half, torch.bfloat16, torch.float])
def test_lower_precision_keeps_its_dtype_and_is_near(case, dtype):
    attention, more, state, keys, values = case
    context, weights = attention(state, attention.prepare(keys, values=values), **more)
    low = copy.deepcopy(attention).to(dtype)
    memory = low.prepare(keys.to(dtype), values=values.to(dtype))
    found, found_weights = low(state.to(dtype), memory, **more)
    assert (found.dtype, found_weights.dtype) == (dtype, dtype)
    assert_close(found_weights.double(), weights, atol=0.03, rtol=0.03)
    assert_close(found.double(), context, atol=0.08, rtol=0.03)
    assert low.contexts(state.to(dtype).unsqueeze(1), memory).dtype == dtype


def test_autocast_is_near_and_trains(case):
    attention, more, state, keys, values = case
    expected, _ = attention(state, attention.prepare(keys, values=values), **more)
    single = copy.deepcopy(attention).float()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        memory = single.prepare(keys.float(), values=values.float())
        context, weights = single(state.float().requires_grad_(), memory, **more)
        many = single.contexts(state.float().unsqueeze(1), memory, **more)
    assert_close(context.double(), expected, atol=0.08, rtol=0.03)
    assert_close(many.squeeze(1).double(), expected, atol=0.08, rtol=0.03)
    (context.sum() + weights.square().sum()).backward()
    assert all(p.grad is None or p.grad.isfinite().all() for p in single.parameters())


def test_keys_are_prepared_on_the_way(case):
    attention, more, state, keys, _ = case
    memory = attention.prepare(keys)
    assert_close(attention(state, keys, **more), attention(state, memory, **more))
    states = torch.stack([state, state + 1], dim=-2)
    assert_close(attention.contexts(states, keys), attention.contexts(states, memory))
    if isinstance(attention, HardAttention):
        assert_close(attention.samples(states, keys), attention.samples(states, memory))
    if getattr(attention, "predictive", False):
        assert_close(attention.centres(states, keys), attention.centres(states, memory))


@pytest.mark.usefixtures("without_shape_checks")
class TestWhatDoesNotFit:
    attention = BahdanauAttention(DQ, DK, 3)

    @pytest.mark.parametrize("memory", [None, [[0.0]], (torch.zeros(2, 7, 4), None)])
    def test_what_is_neither_keys_nor_a_memory(self, memory):
        needed = r"needs keys as a tensor, or what prepare\(keys, lengths\) made of them, got"
        for look in (self.attention, self.attention.contexts):
            with pytest.raises(DtypeError, match=needed):
                look(torch.zeros(2, 5), memory)

    def test_keys_of_another_width_in_a_look(self):
        with pytest.raises(ShapeError, match=r"needs keys \(\*B, K, D\) of width 4, got"):
            self.attention(torch.zeros(2, 5), torch.zeros(2, 7, 3))

    def test_keys_of_another_width(self):
        needed = r"BahdanauAttention needs keys \(\*B, K, D\) of width 4, got \(2, 7, 3\)"
        with pytest.raises(ShapeError, match=needed):
            self.attention.prepare(torch.zeros(2, 7, 3))

    def test_fewer_values_than_keys(self):
        with pytest.raises(ShapeError, match=r"one value per key, got keys \(2, 7, 4\) and values"):
            self.attention.prepare(torch.zeros(2, 7, 4), values=torch.zeros(2, 6, 4))

    def test_booleans_for_another_number_of_keys(self):
        with pytest.raises(ShapeError, match=r"one boolean per key, \(2, 7\), got a mask \(7,\)"):
            self.attention.prepare(torch.zeros(2, 7, 4), torch.ones(7).bool())

    @pytest.mark.parametrize("shape", [(2, 4), (3, 5), (5,), (2, 1, 5)])
    def test_a_state_that_does_not_fit_the_memory(self, shape):
        memory = self.attention.prepare(torch.zeros(2, 7, 4))
        needed = r"needs a state \(\*B, D\) of width 5 with the batch \(2,\) of the memory, got"
        with pytest.raises(ShapeError, match=needed):
            self.attention(torch.zeros(shape), memory)

    @pytest.mark.parametrize("shape", [(2, 3, 4), (3, 3, 5), (2, 5)])
    def test_states_that_do_not_fit_the_memory(self, shape):
        memory = self.attention.prepare(torch.zeros(2, 7, 4))
        needed = r"needs states \(\*B, Q, D\) of width 5 with the batch \(2,\) of the memory, got"
        with pytest.raises(ShapeError, match=needed):
            self.attention.contexts(torch.zeros(shape), memory)

    def test_a_mask_of_the_family_is_taken_as_it_is(self):
        memory = self.attention.prepare(torch.zeros(2, 7, 4), masks.padding([3, 5]))
        assert memory.lengths().tolist() == [3, 5]
