"""Multi-head attention: self, cross, masked, grouped, with any score, normaliser and position."""

import copy

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.autograd import gradcheck
from torch.testing import assert_close

from reference import masks as ref_masks
from reference import multihead as reference
from reference import normalisers as ref_normalisers
from reference import scores as ref_scores
from regard import masks, scores
from regard.errors import ChoiceError, RangeError, ShapeError
from regard.lens import capture
from regard.nn import MultiHeadAttention, scorer
from regard.nn.interop.linears import linears_of
from regard.positions import Alibi, RelativeBias, Rotary

BATCH, QUERIES, KEYS, MODEL, HEADS, HEAD = 2, 5, 7, 12, 6, 2
LENGTHS = torch.tensor([3, 6])


def build(num_heads=HEADS, **choices):
    attention = MultiHeadAttention(MODEL, num_heads, **choices).double()
    for parameter in attention.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return attention


def inputs(*sizes):
    return torch.randn(*sizes, dtype=torch.float64)


def by_hand(
    attention,
    x,
    memory,
    allowed=lambda b, h, i, j: True,
    score=reference.scaled_dot,
    normalise=ref_normalisers.softmax,
    turn=lambda rows: rows,
    values=None,
):
    """The output, element by element of the batch, by loops."""
    values = memory if values is None else values
    parts = [(w.tolist(), None if b is None else b.tolist()) for w, b in linears_of(attention)]
    outputs = []
    for b in range(len(x)):
        rows = (x[b], memory[b], values[b])
        query, key, value = (
            reference.linear(*part, row.tolist()) for part, row in zip(parts, rows, strict=False)
        )
        heads = reference.multi_head(
            turn(query),
            turn(key),
            value,
            num_heads=attention.num_heads,
            num_key_heads=attention.num_key_heads,
            allowed=lambda h, i, j, b=b: allowed(b, h, i, j),
            score=score,
            normalise=normalise,
        )
        outputs.append(reference.linear(*parts[3], heads))
    return torch.tensor(outputs, dtype=torch.float64)


@pytest.mark.parametrize("num_key_heads", [6, 3, 2, 1])
@pytest.mark.parametrize("bias", [True, False])
def test_self_attention_equals_loops(num_key_heads, bias):
    attention, x = build(num_key_heads=num_key_heads, bias=bias), inputs(BATCH, QUERIES, MODEL)
    assert_close(attention(x), by_hand(attention, x, x))
    assert_close(attention(x, x), attention(x))


@pytest.mark.parametrize("num_key_heads", [6, 2])
def test_cross_attention_over_lengths_equals_loops(num_key_heads):
    attention = build(num_key_heads=num_key_heads)
    x, memory = inputs(BATCH, QUERIES, MODEL), inputs(BATCH, KEYS, MODEL)
    expected = by_hand(attention, x, memory, lambda b, h, i, j: j < LENGTHS[b])
    assert_close(attention(x, memory, mask=LENGTHS), expected)
    assert_close(attention(x, memory, mask=torch.arange(KEYS) < LENGTHS.unsqueeze(-1)), expected)
    assert_close(attention(x, memory, mask=masks.padding(LENGTHS)), expected)
    assert_close(attention(x, attention.prepare(memory, LENGTHS)), expected)


def test_keys_values_heads_and_output_may_have_widths_of_their_own():
    attention = build(key_dim=8, value_dim=9, head_dim=4, output_dim=11, num_key_heads=3)
    x, keys, values = inputs(BATCH, QUERIES, MODEL), inputs(BATCH, KEYS, 8), inputs(BATCH, KEYS, 9)
    found = attention(x, keys, values=values)
    assert found.shape == (BATCH, QUERIES, 11)
    assert_close(found, by_hand(attention, x, keys, values=values))
    assert_close(attention(x, attention.prepare(keys, values=values)), found)


def test_values_of_another_tensor_of_the_same_width_are_pooled():
    attention = build()
    x, keys, values = (inputs(BATCH, n, MODEL) for n in (QUERIES, KEYS, KEYS))
    assert_close(attention(x, keys, values=values), by_hand(attention, x, keys, values=values))


_TABLE = torch.arange(QUERIES * QUERIES).view(QUERIES, QUERIES) % 3 != 1
OWN_MASKS = {
    "causal": ("causal", ref_masks.causal()),
    "window": (masks.window(1, 2), ref_masks.window(1, 2)),
    "blocks": (masks.blocks(2), ref_masks.blocks(2)),
    "tensor": (_TABLE, ref_masks.dense(_TABLE.tolist())),
}


@pytest.mark.parametrize("num_key_heads", [6, 3])
@pytest.mark.parametrize("name", OWN_MASKS)
def test_the_mask_of_the_module_and_that_of_the_call_both_hold(name, num_key_heads):
    mask, condition = OWN_MASKS[name]
    attention, x = build(mask=mask, num_key_heads=num_key_heads), inputs(BATCH, QUERIES, MODEL)
    lengths = torch.tensor([2, 4])
    expected = by_hand(attention, x, x, lambda b, h, i, j: condition(i, j) and j < lengths[b])
    assert_close(attention(x, mask=lengths), expected)


def test_booleans_mean_keys_pairs_or_heads_by_their_axes():
    attention, x = build(), inputs(BATCH, QUERIES, MODEL)
    table = torch.rand(BATCH, HEADS, QUERIES, QUERIES) > 0.4
    for mask, picked in (
        (table, table),
        (table[:, 0], table[:, :1]),
        (table[:, 0, 0], table[:, :1, :1]),
    ):
        full = picked.expand_as(table)
        expected = by_hand(attention, x, x, lambda b, h, i, j, full=full: bool(full[b, h, i, j]))
        assert_close(attention(x, mask=mask), expected)


SCORES = {
    "dot": ("dot", lambda h, i, j, q, k: ref_scores.dot(q, k)),
    "cosine": (scores.Cosine(2.0), lambda h, i, j, q, k: 2 * ref_scores.cosine(q, k)),
    "euclidean": ("euclidean", lambda h, i, j, q, k: ref_scores.euclidean(q, k)),
    "alibi": (
        scores.Dot() + scores.Alibi(HEADS),
        lambda h, i, j, q, k: (
            ref_scores.dot(q, k) + ref_scores.alibi(ref_scores.alibi_slopes(HEADS)[h], i, j)
        ),
    ),
}


@pytest.mark.parametrize("num_key_heads", [6, 2])
@pytest.mark.parametrize("name", SCORES)
def test_any_score_may_pair_the_heads(name, num_key_heads):
    score, pair = SCORES[name]
    attention = build(score=score, num_key_heads=num_key_heads)
    x, memory = inputs(BATCH, QUERIES, MODEL), inputs(BATCH, KEYS, MODEL)
    assert_close(attention(x, memory), by_hand(attention, x, memory, score=pair))


def parameter_scores(attention):
    held = {name: p.tolist() for name, p in attention.score.named_parameters()}
    return {
        "additive": lambda h, i, j, q, k: ref_scores.additive(held["v"], _EYE, _EYE, q, k),
        "concat": lambda h, i, j, q, k: ref_scores.concat(held["v"], held["weight"], q, k),
        "general": lambda h, i, j, q, k: ref_scores.general(held["weight"], q, k),
    }


_EYE = torch.eye(HEAD).tolist()


@pytest.mark.parametrize("num_key_heads", [6, 2])
@pytest.mark.parametrize("name", ["additive", "concat", "general"])
def test_a_score_with_parameters_is_made_by_its_name_and_trains(name, num_key_heads):
    attention, x = build(score=name, num_key_heads=num_key_heads), inputs(BATCH, QUERIES, MODEL)
    assert_close(attention(x), by_hand(attention, x, x, score=parameter_scores(attention)[name]))
    attention(x).square().sum().backward()
    for parameter in attention.score.parameters():
        assert parameter.grad.abs().sum() > 0


def test_a_scorer_with_sizes_of_its_own_may_be_passed():
    own = scorer("location", query_dim=HEAD, max_keys=9)
    attention, x = build(score=own), inputs(BATCH, QUERIES, MODEL)
    weight = own.weight.tolist()
    pair = lambda h, i, j, q, k: ref_scores.dot(q, weight[j])  # noqa: E731
    assert_close(attention(x), by_hand(attention, x, x, score=pair))


@pytest.mark.parametrize("name", ["sparsemax", "relu", "sigmoid"])
def test_any_normaliser_may_weigh(name):
    attention, x = build(normalise=name), inputs(BATCH, QUERIES, MODEL)
    own = {
        "sparsemax": ref_normalisers.sparsemax,
        "relu": ref_normalisers.relu,
        "sigmoid": ref_normalisers.sigmoid,
    }[name]
    assert_close(attention(x), by_hand(attention, x, x, normalise=own))


def test_a_rotary_position_turns_queries_and_keys():
    attention = MultiHeadAttention(MODEL, 3, num_key_heads=1, position=Rotary(4), mask="causal")
    attention, x = attention.double(), inputs(BATCH, QUERIES, MODEL)

    def turn(rows):
        return [
            [y for h in range(0, len(row), 4) for y in reference.turned(row[h : h + 4], p, 10000.0)]
            for p, row in enumerate(rows)
        ]

    assert_close(attention(x), by_hand(attention, x, x, lambda b, h, i, j: j <= i, turn=turn))


def test_a_term_of_positions_is_added_to_the_score():
    slopes, x = ref_scores.alibi_slopes(HEADS), inputs(BATCH, QUERIES, MODEL)
    attention = build(position=Alibi(HEADS))
    pair = lambda h, i, j, q, k: (  # noqa: E731
        reference.scaled_dot(h, i, j, q, k) + ref_scores.alibi(slopes[h], i, j)
    )
    assert_close(attention(x), by_hand(attention, x, x, score=pair))


def test_the_table_of_a_relative_position_is_a_parameter_of_the_attention():
    attention, x = build(position=RelativeBias(HEADS, 3)), inputs(BATCH, QUERIES, MODEL)
    attention(x).square().sum().backward()
    (table,) = attention.position.parameters()
    assert "position.table" in attention.state_dict()
    assert table.grad.abs().sum() > 0


@pytest.mark.parametrize("choices", [{}, {"num_key_heads": 2}, {"score": "additive"}])
def test_gradients_are_right_with_an_empty_row(choices):
    attention = build(mask="causal", **choices)
    x, lengths = inputs(2, 3, MODEL).requires_grad_(), torch.tensor([0, 2])
    names = [name for name, _ in attention.named_parameters()]
    tensors = [p.detach().clone().requires_grad_() for p in attention.parameters()]

    def run(x, *tensors):
        state = dict(zip(names, tensors, strict=True))
        return torch.func.functional_call(attention, state, (x,), {"mask": lengths})

    assert gradcheck(run, (x, *tensors), fast_mode=True)


def test_a_query_without_a_key_gives_the_bias_of_the_output():
    attention, x = build(), inputs(BATCH, QUERIES, MODEL).requires_grad_()
    output = attention(x, mask=torch.tensor([0, 4]))
    assert_close(output[0], attention.output_proj.bias.expand(QUERIES, MODEL))
    output.sum().backward()
    assert x.grad[0].eq(0).all()
    assert x.grad.isfinite().all()


@pytest.mark.parametrize("num_key_heads", [6, 2, 1])
@pytest.mark.parametrize("mask", [None, "causal"])
def test_a_captured_look_has_the_weights_of_every_head(num_key_heads, mask):
    attention = build(num_key_heads=num_key_heads, mask=mask, bias=False)
    x = inputs(BATCH, QUERIES, MODEL)
    plain = attention(x, mask=LENGTHS.clamp(max=5))
    with capture(attention) as record:
        assert_close(attention(x, mask=LENGTHS.clamp(max=5)), plain)
    weights = record[""].weights
    assert weights.shape == (BATCH, HEADS, QUERIES, QUERIES)
    assert_close(weights, attention.weights(x, mask=LENGTHS.clamp(max=5)))
    assert_close(weights.sum(-1), torch.ones(BATCH, HEADS, QUERIES, dtype=torch.float64))
    value = linears_of(attention).value.weight
    values = (x @ value.mT).unflatten(-1, (num_key_heads, HEAD)).transpose(1, 2)
    pooled = weights @ values.repeat_interleave(HEADS // num_key_heads, dim=1)
    assert_close(plain, pooled.transpose(1, 2).flatten(2) @ attention.output_proj.weight.mT)


@settings(max_examples=20)
@given(order=st.permutations(range(QUERIES)), num_key_heads=st.sampled_from([6, 3, 1]))
def test_without_positions_a_permutation_of_the_input_permutes_the_output(order, num_key_heads):
    attention, x = build(num_key_heads=num_key_heads), inputs(BATCH, QUERIES, MODEL)
    assert_close(attention(x[:, list(order)]), attention(x)[:, list(order)])


def test_what_padding_holds_and_how_much_there_is_changes_nothing():
    attention, x = build(num_key_heads=2), inputs(BATCH, KEYS, MODEL)
    output = attention(x, mask=LENGTHS)
    for b, length in enumerate(LENGTHS.tolist()):
        other = x.clone()
        other[b, length:] = 100.0
        assert_close(attention(other, mask=LENGTHS)[b, :length], output[b, :length])
        assert_close(attention(x[b, :length]), output[b, :length])


def test_more_than_one_batch_axis_and_none_give_the_same_numbers():
    attention, x = build(mask="causal", num_key_heads=3), inputs(2, 3, QUERIES, MODEL)
    flat = attention(x.flatten(0, 1)).unflatten(0, (2, 3))
    assert_close(attention(x), flat)
    assert_close(attention(x[1, 2]), flat[1, 2])


def test_weights_are_dropped_in_training_only():
    attention, x = build(dropout=0.5), inputs(BATCH, QUERIES, MODEL)
    plain = build(dropout=0.0)
    plain.load_state_dict(attention.state_dict())
    assert not torch.equal(attention(x), attention(x))
    assert_close(attention.eval()(x), plain(x))


@pytest.mark.parametrize("choices", [{}, {"key_dim": 8}, {"score": "additive"}])
def test_a_state_dict_and_a_deep_copy_carry_everything(choices):
    attention, x = build(**choices), inputs(BATCH, QUERIES, MODEL)
    memory = inputs(BATCH, KEYS, attention.key_dim)
    other = build(**choices)
    other.load_state_dict(attention.state_dict())
    assert_close(other(x, memory), attention(x, memory))
    with capture(attention):
        copied = copy.deepcopy(attention)
    assert copied.watchers == []
    assert_close(copied(x, memory), attention(x, memory))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("choices", [{}, {"num_key_heads": 2}, {"score": "additive"}])
def test_half_precision_and_autocast_come_near_to_float(dtype, choices):
    attention, x = build(mask="causal", **choices).float(), torch.randn(BATCH, QUERIES, MODEL)
    expected = attention(x)
    with torch.autocast("cpu", dtype=dtype):
        lowered = attention(x)
    assert lowered.dtype == dtype
    assert_close(lowered.float(), expected, atol=0.2, rtol=0.05)
    low = attention.to(dtype)(x.to(dtype))
    assert low.dtype == dtype
    assert_close(low.float(), expected, atol=0.2, rtol=0.05)


def test_it_begins_with_zero_biases_and_projections_of_the_usual_spread():
    attention = MultiHeadAttention(32, 4)
    query, *_, output = linears_of(attention)
    assert query.bias.eq(0).all()
    assert output.bias.eq(0).all()
    bound = (6 / 64) ** 0.5
    assert 0.9 * bound < query.weight.abs().max() <= bound


@pytest.mark.parametrize(
    ("error", "message", "sizes", "choices"),
    [
        (RangeError, "num_heads that divide model_dim 12, got 5", (12, 5), {}),
        (RangeError, "num_heads of at least 1, got 0", (12, 0), {}),
        (RangeError, "num_key_heads that divide num_heads 6, got 4", (12, 6), {"num_key_heads": 4}),
        (RangeError, "head_dim of at least 1, got 0", (12, 6), {"head_dim": 0}),
        (RangeError, "dropout of at least 0 and below 1, got 1.0", (12, 6), {"dropout": 1.0}),
        (ChoiceError, "'location' needs to know the longest", (12, 6), {"score": "location"}),
    ],
)
def test_sizes_that_do_not_fit_are_refused(error, message, sizes, choices):
    with pytest.raises(error, match=message):
        MultiHeadAttention(*sizes, **choices)


def test_tensors_that_do_not_fit_are_refused():
    attention, x = build(key_dim=8), inputs(BATCH, QUERIES, MODEL)
    with pytest.raises(ShapeError, match=r"needs x \(\*B, N, 12\), got \(2, 5, 8\)"):
        attention(inputs(2, 5, 8), inputs(2, 7, 8))
    with pytest.raises(ShapeError, match=r"needs a memory \(\*B, N, 8\), got \(2, 5, 12\)"):
        attention(x)
    with pytest.raises(ShapeError, match=r"booleans \(\*B, K\).*got \(7,\)"):
        attention(x, inputs(2, 7, 8), mask=torch.ones(7, dtype=torch.bool))
