"""Interventions: exact by plain loops, on ours and on others' modules alike, undone at the end."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn
from torch.testing import assert_close

from regard.errors import ChoiceError, RangeError, ShapeError
from regard.lens import capture, edit, effect, swap
from regard.lens.edits import CutLink, HeadOff, Patched, Swapped, Uniform, WithWeights
from regard.nn import BahdanauAttention, LocalAttention, MultiHeadAttention
from regard.nn.vision import SqueezeExcitation

HEADS, WIDTH = 3, 4


def drawn(*shape):
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


class Theirs(nn.Module):
    """The same attention as ours, by torch's kernel, with our parameters."""

    def __init__(self, ours):
        super().__init__()
        self.ours = [ours]

    def forward(self, x):
        ours = self.ours[0]
        query, key, value = ours.in_proj.all(x)
        q, k, v = (
            each.unflatten(-1, (HEADS, WIDTH)).transpose(1, 2) for each in (query, key, value)
        )
        found = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return ours.output_proj(found.transpose(1, 2).flatten(2))


def ours():
    torch.manual_seed(0)
    return MultiHeadAttention(12, HEADS, mask="causal").double().eval()


def pair():
    attention = ours()
    return [attention, Theirs(attention)]


def by_hand(attention, x, change):
    """The output after ``change(weights, values)`` made the contexts, head by head."""
    query, key, value = attention.in_proj.all(x)
    q, k, v = (each.unflatten(-1, (HEADS, WIDTH)).transpose(1, 2) for each in (query, key, value))
    scores = q @ k.mT / WIDTH**0.5
    later = torch.ones(x.shape[1], x.shape[1]).triu(1).bool()
    weights = scores.masked_fill(later, -torch.inf).softmax(dim=-1)
    return attention.output_proj(change(weights, v).transpose(1, 2).flatten(2))


def off(heads):
    def change(weights, value):
        context = weights @ value
        context[:, heads] = 0
        return context

    return change


def cut(query, key, heads):
    def change(weights, value):
        weights = weights.clone()
        for head in heads:
            row = weights[:, head, query].clone()
            row[:, key] = 0
            weights[:, head, query] = row / row.sum(dim=-1, keepdim=True)
        return weights @ value

    return change


def even(weights, value):
    allowed = (weights > 0).to(weights)
    return allowed / allowed.sum(dim=-1, keepdim=True) @ value


CASES = {
    "head off": (HeadOff("", heads=[1]), off([1])),
    "heads off": (HeadOff("", heads=[0, -1]), off([0, 2])),
    "cut": (CutLink("", query=3, key=1, heads=[2]), cut(3, 1, [2])),
    "cut everywhere": (CutLink("", query=4, key=0), cut(4, 0, [0, 1, 2])),
    "uniform": (Uniform(""), even),
    "given": (WithWeights("", torch.eye(5)), lambda weights, value: value),
}


@pytest.mark.parametrize("number", [0, 1], ids=["ours", "theirs"])
@pytest.mark.parametrize("case", CASES)
def test_an_intervention_is_what_plain_arithmetic_says(case, number):
    intervention, change = CASES[case]
    model, x = pair()[number], drawn(2, 5, 12)
    plain = model(x)
    with edit(model, intervention):
        edited = model(x)
    assert_close(edited, by_hand(ours(), x, change))
    assert not torch.allclose(edited, plain)
    assert model(x).equal(plain)


@pytest.mark.parametrize("number", [0, 1], ids=["ours", "theirs"])
def test_heads_that_no_intervention_names_keep_their_bits(number):
    model, x = pair()[number], drawn(2, 5, 12)
    with capture(model) as before:
        model(x)
    with edit(model, HeadOff("", heads=[1])), capture(model) as after:
        model(x)
    [old], [new] = before.looks, after.looks
    assert old.context[:, [0, 2]].equal(new.context[:, [0, 2]])
    assert not new.context[:, 1].any()


def test_a_context_of_another_input_is_patched_in():
    model, x, other = ours(), drawn(2, 5, 12), drawn(2, 5, 12) + 1
    with capture(model) as record:
        model(other)
    [look] = record.looks
    with edit(model, Patched("", look)):
        assert_close(model(x), model(other))
    with edit(model, Patched("", look, heads=[2], rows=[4])), capture(model) as patched:
        model(x)
    with capture(model) as plain:
        model(x)
    expected = plain.looks[0].context.clone()
    expected[:, 2, 4] = look.context[:, 2, 4]
    assert_close(patched.looks[0].context, expected)


def test_cutting_a_link_of_no_weight_changes_nothing():
    model, x = ours(), drawn(2, 5, 12)
    with edit(model, CutLink("", query=1, key=3)):
        edited = model(x)
    assert_close(edited, model(x))


def test_a_query_with_a_single_key_has_a_zero_context_once_that_is_cut():
    model, x = ours(), drawn(2, 5, 12)
    with edit(model, CutLink("", query=0, key=0)), capture(model) as record:
        model(x)
    assert not record.looks[0].context[:, :, 0].any()


def test_later_interventions_act_on_what_earlier_ones_left():
    model, x = ours(), drawn(2, 5, 12)
    with edit(model, WithWeights("", torch.eye(5)), HeadOff("", heads=[1])):
        edited = model(x)

    def change(weights, value):
        value = value.clone()
        value[:, 1] = 0
        return value

    assert_close(edited, by_hand(ours(), x, change))


def test_only_one_call_of_a_module_may_be_meant():
    model, x = ours(), drawn(2, 5, 12)
    with edit(model, HeadOff("", call=1)):
        first, second, third = model(x), model(x), model(x)
    assert first.equal(third)
    assert not second.equal(first)


class Decoder(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.cross = attention

    def forward(self, states, keys):
        memory = self.cross.prepare(keys)
        steps = enumerate(states.unbind(1))
        known = {"step": None} if isinstance(self.cross, LocalAttention) else None
        return torch.stack(
            [self.cross(s, memory, **({"step": t} if known else {}))[0] for t, s in steps], dim=1
        )


@pytest.mark.parametrize("kind", ["bahdanau", "local"])
def test_the_steps_of_a_decoder_are_edited_one_by_one(kind):
    torch.manual_seed(0)
    attention = (
        BahdanauAttention(3, 5, 7) if kind == "bahdanau" else LocalAttention(3, 5, half_width=2)
    )
    model = Decoder(attention.double())
    states, keys = drawn(2, 3, 3), drawn(2, 6, 5)
    with capture(model) as record:
        plain = model(states, keys)
    weights = record["cross"].weights.clone()
    with edit(model, CutLink("cross", query=0, key=1, call=2)):
        edited = model(states, keys)
    weights[:, 2, 1] = 0
    weights[:, 2] /= weights[:, 2].sum(dim=-1, keepdim=True)
    assert_close(edited, weights @ keys)
    assert_close(edited[:, :2], plain[:, :2])
    with edit(model, HeadOff("cross")):
        assert not model(states, keys).any()


def test_a_swap_trains_and_is_undone():
    model, x = ours(), drawn(2, 5, 12)
    plain = model(x)
    with swap(model, normalise="sparsemax"), capture(model) as record:
        swapped = model(x)
        swapped.square().sum().backward()
    assert all(p.grad is not None for p in model.parameters())
    assert (record.looks[0].context - plain.mean()).isfinite().all()
    assert not swapped.equal(plain)
    assert model(x).equal(plain)
    model.normalise = "sparsemax"
    assert_close(model(x), swapped)


def test_a_swapped_mask_comes_on_top_of_the_models_own():
    model, x = ours(), drawn(2, 7, 12)
    with swap(model, mask=~torch.eye(7, dtype=torch.bool)):
        swapped = model(x)

    def change(weights, value):
        weights = weights.clone() * (1 - torch.eye(7))
        total = weights.sum(dim=-1, keepdim=True)
        return weights / total.where(total > 0, 1) @ value

    assert_close(swapped, by_hand(ours(), x, change))


def test_an_effect_tells_before_after_and_the_difference():
    model, x = ours(), drawn(2, 5, 12)
    found = effect(model, lambda: model(x).sum(), HeadOff("", heads=[1]))
    with edit(model, HeadOff("", heads=[1])):
        after = model(x).sum()
    assert_close(found.before, model(x).sum())
    assert_close(found.change, after - model(x).sum())
    assert repr(found).startswith("Effect(")


@pytest.mark.parametrize(
    ("intervention", "error", "says"),
    [
        (HeadOff("nothing"), ChoiceError, r"no attention module is called 'nothing'"),
        (HeadOff("", heads=[3]), RangeError, r"has 3 heads, got head 3"),
        (Patched("", torch.zeros(7)), ShapeError, r"needs a context that broadcasts"),
    ],
)
def test_what_cannot_be_done_is_refused(intervention, error, says):
    model = ours()
    with pytest.raises(error, match=says), edit(model, intervention):
        model(drawn(2, 5, 12))
    assert not model.edits


def test_heads_of_what_has_none_are_refused():
    attention = BahdanauAttention(3, 5, 7).double()
    with (
        pytest.raises(ShapeError, match=r"has none, .* leave heads out"),
        edit(attention, HeadOff("", heads=[0])),
    ):
        attention(drawn(2, 3), drawn(2, 6, 5))


def test_a_gate_is_refused():
    with (
        pytest.raises(ChoiceError, match="a gate: it has no heads"),
        edit(SqueezeExcitation(4), HeadOff("")),
    ):
        pass


def test_a_swap_of_one_head_leaves_the_others():
    model, x = ours(), drawn(2, 5, 12)
    with edit(model, Swapped("", normalise="hard", heads=[1])), capture(model) as record:
        model(x)
    with capture(model) as plain:
        model(x)
    assert record.looks[0].context[:, [0, 2]].equal(plain.looks[0].context[:, [0, 2]])
    weights, value = plain.looks[0].weigh()[:, 1], plain.looks[0].value[:, 1]
    best = weights.argmax(dim=-1)
    expected = torch.stack([v[b] for v, b in zip(value, best, strict=True)])
    assert_close(record.looks[0].context[:, 1], expected)
