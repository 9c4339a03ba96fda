"""``torch.nn.MultiheadAttention`` in and out."""

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from regard import masks
from regard.errors import ChoiceError, DtypeError
from regard.functional.normalisers import SoftmaxWithSink
from regard.nn import MultiHeadAttention, SelfAttention
from regard.nn.interop import from_torch, to_hugging_face, to_keras, to_torch
from regard.positions import Alibi

BATCH, QUERIES, KEYS, MODEL, HEADS = 2, 5, 7, 12, 3
WIDTHS = {"one width": {}, "three widths": {"kdim": 8, "vdim": 9}}


def layer(**choices):
    made = nn.MultiheadAttention(MODEL, HEADS, batch_first=True, dtype=torch.float64, **choices)
    for parameter in made.parameters():
        nn.init.normal_(parameter, std=0.5)
    return made


def vectors(kdim=MODEL, vdim=MODEL):
    sizes = ((QUERIES, MODEL), (KEYS, kdim), (KEYS, vdim))
    return [torch.randn(BATCH, *size, dtype=torch.float64).requires_grad_() for size in sizes]


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", WIDTHS)
def test_values_gradients_and_weights_are_theirs_under_masks(name, bias):
    theirs, (query, key, value) = layer(bias=bias, **WIDTHS[name]), vectors(**WIDTHS[name])
    ours = from_torch(theirs)
    hidden = torch.arange(KEYS) >= torch.tensor([[3], [6]])
    barred = torch.rand(QUERIES, KEYS) > 0.7
    barred[:, 0] = False
    expected, weights = theirs(
        query,
        key,
        value,
        key_padding_mask=hidden,
        attn_mask=barred,
        average_attn_weights=False,
    )
    mask = masks.dense(~barred) & masks.padding([3, 6])
    output = ours(query, key, values=value, mask=mask)
    assert_close(output, expected)
    assert_close(ours.weights(query, key, mask=mask), weights)
    upstream = torch.randn_like(expected)
    leaves = [query, key, value]
    for found, wanted in zip(
        torch.autograd.grad(output, [*leaves, ours.output_proj.weight], upstream),
        torch.autograd.grad(expected, [*leaves, theirs.out_proj.weight], upstream),
        strict=True,
    ):
        assert_close(found, wanted)


def test_causal_self_attention_and_the_gradient_of_its_weights_are_theirs():
    theirs, (x, *_) = layer(), vectors()
    ours = from_torch(theirs, mask="causal")
    ahead = torch.ones(QUERIES, QUERIES, dtype=torch.bool).triu(1)
    expected, _ = theirs(x, x, x, attn_mask=ahead, need_weights=False)
    assert_close(ours(x), expected)
    upstream = torch.randn_like(expected)
    (found,) = torch.autograd.grad(ours(x), ours.in_proj.weight, upstream)
    (wanted,) = torch.autograd.grad(expected, theirs.in_proj_weight, upstream)
    assert_close(found, wanted)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("widths", [{}, {"key_dim": 8, "value_dim": 9}])
def test_ours_becomes_theirs(widths, bias):
    ours = MultiHeadAttention(MODEL, HEADS, bias=bias, **widths).double().eval()
    for parameter in ours.parameters():
        nn.init.normal_(parameter, std=0.5)
    theirs = to_torch(ours)
    query, key, value = vectors(ours.key_dim, ours.value_dim)
    assert_close(theirs(query, key, value)[0], ours(query, key, values=value))
    assert not theirs.training
    back = from_torch(theirs)
    assert all(map(torch.equal, back.state_dict().values(), ours.state_dict().values()))


def test_weights_are_copies_and_dropout_comes_along():
    theirs = layer(dropout=0.25)
    ours = from_torch(theirs)
    assert ours.dropout == 0.25
    with torch.no_grad():
        ours.in_proj.weight.zero_()
    assert theirs.in_proj_weight.abs().sum() > 0


@pytest.mark.parametrize(
    ("message", "choices"),
    [
        ("has no score 'dot'", {"score": "dot"}),
        ("has no score 'scaled_dot' with 'sparsemax'", {"normalise": "sparsemax"}),
        ("has no grouped keys", {"num_key_heads": 1}),
        ("has no position or mask", {"mask": "causal"}),
        ("has no heads or output of another width", {"head_dim": 5}),
        ("has no heads or output of another width", {"output_dim": 5}),
    ],
)
def test_what_torch_cannot_do_is_refused(message, choices):
    with pytest.raises(ChoiceError, match=message):
        to_torch(MultiHeadAttention(MODEL, HEADS, **choices))


EXTRA = (
    {"add_bias_kv": True},
    {"add_zero_attn": True},
    {"add_bias_kv": True, "add_zero_attn": True, "kdim": 8, "vdim": 9},
)


@pytest.mark.parametrize("choices", EXTRA, ids=str)
def test_keys_behind_the_projection_come_in_and_go_out(choices):
    theirs = layer(**choices)
    sizes = (theirs.kdim, theirs.vdim)
    query, key, value = vectors(*sizes)
    hidden = torch.arange(KEYS) >= torch.tensor([[3], [6]])
    barred = torch.rand(QUERIES, KEYS) > 0.7
    barred[2] = True  # who sees nothing else sees these
    asked = {"key_padding_mask": hidden, "attn_mask": barred, "average_attn_weights": False}
    expected, weights = theirs(query, key, value, **asked)
    ours = from_torch(theirs)
    mask = masks.dense(~barred) & masks.padding([3, 6])
    output = ours(query, key, values=value, mask=mask)
    assert_close(output, expected)
    zero = choices.get("add_zero_attn", False)
    kept = weights[..., : weights.shape[-1] - zero]
    assert_close(ours.weights(query, key, mask=mask), kept)
    upstream = torch.randn_like(expected)
    for found, wanted in zip(
        torch.autograd.grad(output, [query, key, value], upstream),
        torch.autograd.grad(expected, [query, key, value], upstream),
        strict=True,
    ):
        assert_close(found, wanted)
    again = to_torch(ours)
    assert (again.bias_k is not None, again.add_zero_attn) == (
        choices.get("add_bias_kv", False),
        zero,
    )
    assert_close(again(query, key, value, **asked)[0], expected)


def test_persistent_keys_are_seen_in_every_step_and_learned():
    ours = MultiHeadAttention(MODEL, HEADS, persistent=2, mask="causal").double()
    x = vectors()[0].detach()
    whole, cache, steps = ours(x), None, []
    for part in x.split([2, 1, 2], dim=1):
        output, cache = ours.step(part, cache)
        steps.append(output)
    assert_close(torch.cat(steps, dim=1), whole)
    assert cache.key.shape[-2] == QUERIES
    whole.sum().backward()
    assert ours.persistent.key.grad.any()
    assert ours.persistent.value.grad.any()
    assert not torch.allclose(ours.weights(x)[..., QUERIES:].sum(), torch.zeros(()).double())


@pytest.mark.usefixtures("without_shape_checks")
def test_what_cannot_come_in_or_out_is_refused():
    with pytest.raises(ChoiceError, match="another normaliser cannot stand in its place"):
        from_torch(layer(add_zero_attn=True), normalise="sparsemax")
    with pytest.raises(ChoiceError, match="persistent keys stand nowhere"):
        MultiHeadAttention(MODEL, HEADS, persistent=1, position=Alibi(HEADS))
    with pytest.raises(ChoiceError, match="has no more than one persistent key"):
        to_torch(MultiHeadAttention(MODEL, HEADS, persistent=2))
    with pytest.raises(ChoiceError, match="has no sinks but those of 0"):
        to_torch(MultiHeadAttention(MODEL, HEADS, normalise=SoftmaxWithSink(torch.ones(HEADS))))
    with pytest.raises(DtypeError, match=r"needs a torch.nn.MultiheadAttention, got Linear"):
        from_torch(nn.Linear(MODEL, MODEL))
    for out in (to_torch, to_keras, to_hugging_face):
        with pytest.raises(DtypeError, match=r"out of regard\.nn\.MultiHeadAttention, got Linear"):
            out(nn.Linear(MODEL, MODEL))
    with pytest.raises(ChoiceError, match="SelfAttention has no output_proj"):
        to_torch(SelfAttention(4, 4))
