"""Time mixing against loops and a peer: all at once, and step by step."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.autograd import gradcheck
from torch.testing import assert_close

from reference import special_attention as reference
from regard.errors import DtypeError, RangeError, ShapeError
from regard.functional import decay
from regard.lens import capture
from regard.nn import TimeMixing, TimeMixingState

BATCH, LENGTH, WIDTH, CHANNELS = 2, 11, 3, 5


def made(width=WIDTH, channels=CHANNELS):
    """A block whose parameters have moved away from where they began."""
    torch.manual_seed(8)
    mixing = TimeMixing(width, channels, depth=0.4).double()
    with torch.no_grad():
        mixing.bonus.add_(torch.randn(channels))
        mixing.log_decay.mul_(0.5).add_(torch.randn(channels) * 0.3)
    return mixing


def sequence(length=LENGTH, seed=9):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(BATCH, length, WIDTH, dtype=torch.float64, generator=generator)


def by_steps(mixing, x, sizes):
    state, outputs = None, []
    for piece in x.split(sizes, dim=-2):
        output, state = mixing.step(piece, state)
        outputs.append(output)
    return torch.cat(outputs, dim=-2), state


@pytest.fixture(autouse=True)
def _short_segments(monkeypatch):
    """Eleven positions are three segments."""
    monkeypatch.setattr(decay, "SEGMENT", 4)


def test_a_sequence_equals_loops():
    mixing, x = made(), sequence()
    parameters = {name: tensor.tolist() for name, tensor in mixing.state_dict().items()}
    expected = [reference.time_mixing(row, parameters) for row in x.tolist()]
    assert_close(mixing(x), torch.tensor(expected, dtype=torch.float64), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("sizes", [[1] * LENGTH, [3, 1, 5, 2], [LENGTH]])
def test_steps_equal_the_whole_sequence_in_value_and_gradient(sizes):
    mixing, x = made(), sequence().requires_grad_()
    whole = mixing(x)
    stepped, _ = by_steps(mixing, x, sizes)
    assert_close(stepped, whole, rtol=1e-12, atol=1e-13)
    leaves = [x, *mixing.parameters()]
    gradients = [torch.autograd.grad(y.square().sum(), leaves) for y in (stepped, whole)]
    assert_close(*gradients, rtol=1e-9, atol=1e-12)


def test_mixing_has_the_gradient_of_finite_differences():
    mixing, x = made(), sequence(5)
    names = [name for name, _ in mixing.named_parameters()]
    allowed = torch.tensor([[False, True, True, False, True], [False] * 5])

    def mixed(x, *parameters):
        named = dict(zip(names, parameters, strict=True))
        return torch.func.functional_call(mixing, named, (x, allowed))

    leaves = [p.detach().clone().requires_grad_() for p in mixing.parameters()]
    assert gradcheck(mixed, (x.requires_grad_(), *leaves), fast_mode=True)


def test_the_state_carries_gradients_back_unless_it_is_detached():
    mixing, x = made(), sequence().requires_grad_()
    _, state = mixing.step(x[:, :6])
    later, _ = mixing.step(x[:, 6:].detach(), state)
    gradient = torch.autograd.grad(later.sum(), x)[0]
    assert gradient[:, :6].any(-1).all()
    later, _ = mixing.step(x[:, 6:], state.detach())
    gradient = torch.autograd.grad(later.sum(), x)[0]
    assert not gradient[:, :6].any()


@settings(max_examples=15)
@given(st.lists(st.booleans(), min_size=LENGTH, max_size=LENGTH))
def test_a_position_that_does_not_count_is_as_if_it_were_not_there(allowed):
    mixing, x = made(), sequence()
    counted = torch.tensor([allowed, [True] * LENGTH])
    found, state = mixing.step(x, mask=counted)
    kept = x[:1, counted[0]]
    bare, left = mixing.step(kept)
    assert_close(found[:1, counted[0]], bare, rtol=1e-10, atol=1e-12)
    assert_close(state.last[:1], left.last)
    following = [mixing.step(x[:1, :2], s)[0] for s in (_row(state), left)]
    assert_close(*following, rtol=1e-10, atol=1e-12)
    assert_close(found[1], mixing(x[1]))


def _row(state):
    return state.reorder(torch.tensor([0]))


def test_lengths_are_booleans_in_short():
    mixing, x = made(), sequence()
    lengths = torch.tensor([4, 11])
    expected = mixing(x, torch.arange(LENGTH) < lengths[:, None])
    assert_close(mixing(x, lengths), expected)
    x[0, 4:] = 1e4
    assert_close(mixing(x, lengths)[0, :4], expected[0, :4])


def test_before_anything_is_allowed_the_output_is_zero_with_a_finite_gradient():
    mixing, x = made(), sequence().requires_grad_()
    found = mixing(x, torch.tensor([0, 3]))
    assert not found[0].any()
    found.square().sum().backward()
    assert not x.grad[0].any()
    assert all(p.grad.isfinite().all() for p in mixing.parameters())


def test_no_position_sees_a_later_one():
    mixing, x = made(), sequence()
    changed = x.clone()
    changed[:, 7:] += 1
    assert torch.equal(mixing(changed)[:, :7], mixing(x)[:, :7])
    assert not torch.isclose(mixing(changed)[:, 7:], mixing(x)[:, 7:]).any()


def test_the_weights_that_are_looked_at_are_those_of_the_equation():
    mixing, x = made(), sequence()
    with capture(mixing) as record:
        mixing(x)
    weights = record[""].weights
    assert weights.shape == (BATCH, CHANNELS, LENGTH, LENGTH)
    before = torch.nn.functional.pad(x, (0, 0, 1, -1))
    key = mixing.key_proj(x * mixing.key_mix + before * (1 - mixing.key_mix))
    rates = zip(mixing.decay.tolist(), mixing.bonus.tolist(), strict=True)
    expected = [
        reference.fading_weights(key[1, :, a].tolist(), w, u) for a, (w, u) in enumerate(rates)
    ]
    assert_close(weights[1], torch.tensor(expected, dtype=torch.float64), rtol=1e-9, atol=1e-12)


def test_the_weights_of_a_step_show_the_past_as_one_key():
    mixing, x = made(), sequence()
    with capture(mixing) as record:
        _, state = mixing.step(x[:, :6])
        mixing.step(x[:, 6:], state, mask=torch.tensor([5, 3]))
    with capture(mixing) as whole:
        mixing(x)
    first, second = (look.weigh() for look in record[""].looks)
    weights = whole[""].weights
    assert_close(first, weights[..., :6, :6])
    assert second.shape == (BATCH, CHANNELS, 5, 6)
    assert_close(second[0, ..., 1:], weights[0, :, 6:, 6:])
    assert_close(second[0, ..., 0], weights[0, :, 6:, :6].sum(-1))
    assert not second[1, ..., 4:].any()


def test_a_state_is_reordered_for_beams():
    mixing, x = made(), sequence()
    _, state = mixing.step(x[:, :4])
    rows = torch.tensor([1, 1, 0])
    found, _ = mixing.step(x[rows, 4:6], state.reorder(rows))
    assert isinstance(state.reorder(rows), TimeMixingState)
    assert_close(found, mixing(x[:, :6])[rows, 4:6])


def test_leading_axes_may_be_none_or_several():
    mixing, x = made(), sequence()
    assert_close(mixing(x[0]), mixing(x)[0])
    deep = x.unsqueeze(1).expand(-1, 3, -1, -1)
    assert_close(mixing(deep)[:, 2], mixing(x))


def test_no_positions_are_no_output_and_leave_the_state_as_it_was():
    mixing, x = made(), sequence()
    _, state = mixing.step(x)
    empty, same = mixing.step(x[:, :0], state)
    assert empty.shape == (BATCH, 0, WIDTH)
    assert_close(same, state)


def test_the_first_decays_and_mixes_are_those_of_the_authors():
    mixing = TimeMixing(4, 3)
    assert_close(mixing.log_decay.data, torch.tensor([-5, -5 + 8 * 0.5**0.7, 3.0]))
    zigzag = [0.5 * x for x in (0, 1, -1)]
    assert_close(mixing.bonus.data, torch.tensor([-1.2039728043 + x for x in zigzag]))
    assert_close(mixing.key_mix.data, torch.tensor([0, 0.25, 0.5, 0.75]))
    assert_close(mixing.receptance_mix.data, torch.tensor([0, 0.5, 0.5**0.5, 0.75**0.5]))


def test_hugging_face_with_the_same_weights_gives_the_same():
    pytest.importorskip("transformers")
    modeling = pytest.importorskip("transformers.models.rwkv.modeling_rwkv")
    config = modeling.RwkvConfig(
        hidden_size=WIDTH, attention_hidden_size=CHANNELS, num_hidden_layers=2, vocab_size=7
    )
    mixing, x = made().float(), sequence().float().requires_grad_()
    peer = modeling.RwkvSelfAttention(config)
    ours = mixing.state_dict()
    theirs = {"time_decay": ours["log_decay"], "time_first": ours["bonus"]}
    for name in ("key", "value", "receptance"):
        theirs[f"time_mix_{name}"] = ours[f"{name}_mix"].view(1, 1, -1)
        theirs[f"{name}.weight"] = ours[f"{name}_proj.weight"]
    peer.load_state_dict(theirs | {"output.weight": ours["output_proj.weight"]})
    found, expected = mixing(x), peer(x)[0]
    assert_close(found, expected, rtol=1e-4, atol=1e-5)
    gradients = [torch.autograd.grad(y.square().sum(), x)[0] for y in (found, expected)]
    assert_close(*gradients, rtol=1e-3, atol=1e-5)


@pytest.mark.usefixtures("without_shape_checks")
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: TimeMixing(0), RangeError, "model_dim of at least 1"),
        (lambda: TimeMixing(3, depth=2.0), RangeError, "depth from 0 to 1, got 2.0"),
        (lambda: made()(torch.zeros(7, 4)), ShapeError, r"a sequence \(\*B, N, 3\)"),
        (lambda: made()(sequence(), torch.ones(2, 11)), DtypeError, "mask as booleans"),
        (lambda: made()(sequence(), torch.ones(2, 10).bool()), ShapeError, r"positions \(2, 11\)"),
    ],
)
def test_mistakes_are_answered_in_one_sentence(call, error, message):
    with pytest.raises(error, match=message):
        call()
