"""Step by step with a cache is the full pass, for every causal mask, score and position."""

import pytest
import torch
from torch.testing import assert_close

from regard import masks, scores
from regard.errors import ShapeError
from regard.lens import capture
from regard.nn import MultiHeadAttention, scorer
from regard.positions import Alibi, RelativeBias, Rotary, ShawKeys, T5Bias

BATCH, LENGTH, MODEL, HEADS, HEAD = 2, 7, 12, 6, 2
CUTS = {"one by one": [1] * 7, "in pieces": [3, 1, 2, 1], "all at once": [7]}

_IDS = torch.tensor([[0, 0, 1, 1, 1, 2, 2], [3, 3, 3, 3, 4, 4, 4]])
_TABLE = torch.arange(LENGTH * LENGTH).view(LENGTH, LENGTH) % 4 != 1
_LAYOUT = torch.tensor([[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 1]]).bool()
MASKS = {
    "causal": "causal",
    "causal(-1)": masks.causal(-1),
    "window": masks.window(2, 0),
    "window of one": masks.window(0, 0),
    "causal window": masks.causal() & masks.window(3),
    "strided": masks.causal() & (masks.strided(3) | masks.window(1)),
    "blocks": masks.causal() & masks.blocks(3),
    "layout": masks.causal() & masks.blocks(2, _LAYOUT),
    "global": masks.causal() & (masks.window(1) | masks.global_tokens(2)),
    "document": masks.causal() & masks.document(_IDS),
    "dense": masks.causal() & masks.dense(_TABLE),
    "not": masks.causal() & ~masks.window(1, 1),
    "padding": masks.causal() & masks.padding(torch.tensor([4, 7])),
}


def build(**choices):
    attention = MultiHeadAttention(MODEL, HEADS, **choices).double()
    for parameter in attention.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return attention


def inputs(length=LENGTH):
    return torch.randn(BATCH, length, MODEL, dtype=torch.float64)


def steps(attention, x, cuts, cache=None, masks_of_steps=None):
    outputs = []
    for n, piece in enumerate(x.split(cuts, dim=-2)):
        mask = None if masks_of_steps is None else masks_of_steps[n]
        output, cache = attention.step(piece, cache, mask)
        outputs.append(output)
    return torch.cat(outputs, dim=-2), cache


all_cuts = pytest.mark.parametrize("cuts", CUTS.values(), ids=CUTS.keys())


@all_cuts
@pytest.mark.parametrize("num_key_heads", [6, 2])
@pytest.mark.parametrize("name", MASKS)
def test_steps_are_the_full_pass_for_every_causal_mask(name, num_key_heads, cuts):
    attention, x = build(mask=MASKS[name], num_key_heads=num_key_heads), inputs()
    assert_close(steps(attention, x, cuts)[0], attention(x))


SCORES = {
    "additive": "additive",
    "concat": "concat",
    "general": "general",
    "location": lambda: scorer("location", query_dim=HEAD, max_keys=9),
    "cosine": scores.Cosine(2.0),
    "euclidean": "euclidean",
    "alibi": scores.ScaledDot() + scores.Alibi(HEADS),
    "relative": scores.ScaledDot() + scores.Relative(torch.linspace(-1, 1, 5).double()),
}


@pytest.mark.parametrize("mask", ["causal", masks.window(2, 0)], ids=["causal", "window"])
@pytest.mark.parametrize("name", SCORES)
def test_steps_are_the_full_pass_for_every_score(name, mask):
    score = SCORES[name]
    attention = build(score=score() if callable(score) and name == "location" else score, mask=mask)
    x = inputs()
    assert_close(steps(attention, x, CUTS["in pieces"])[0], attention(x))


POSITIONS = {
    "rotary": lambda: Rotary(HEAD),
    "alibi": lambda: Alibi(HEADS),
    "relative": lambda: RelativeBias(HEADS, 2),
    "shaw": lambda: ShawKeys(HEAD, 2),
    "t5": lambda: T5Bias(HEADS, bidirectional=False),
}


@all_cuts
@pytest.mark.parametrize("mask", ["causal", masks.window(2, 0)], ids=["causal", "window"])
@pytest.mark.parametrize("name", POSITIONS)
def test_steps_are_the_full_pass_for_every_position(name, mask, cuts):
    attention = build(position=POSITIONS[name](), mask=mask, num_key_heads=3)
    x = inputs()
    assert_close(steps(attention, x, cuts)[0], attention(x))


@pytest.mark.parametrize("name", ["sparsemax", "entmax15", "relu"])
def test_steps_are_the_full_pass_for_other_normalisers(name):
    attention, x = build(normalise=name, mask="causal"), inputs()
    assert_close(steps(attention, x, CUTS["one by one"])[0], attention(x))


def test_a_prefix_that_comes_in_one_step_sees_itself():
    attention, x = build(mask=masks.prefix(3)), inputs()
    assert_close(steps(attention, x, [3, 1, 1, 2])[0], attention(x))


@all_cuts
def test_without_a_mask_of_its_own_attention_steps_causally(cuts):
    attention, x = build(), inputs()
    assert_close(steps(attention, x, cuts)[0], attention(x, mask="causal"))


def test_gradients_flow_through_the_cache():
    attention, x = build(mask="causal"), inputs().requires_grad_()
    upstream = torch.randn(BATCH, LENGTH, MODEL, dtype=torch.float64)
    leaves = [x, *attention.parameters()]
    stepped = torch.autograd.grad(steps(attention, x, CUTS["in pieces"])[0], leaves, upstream)
    for found, expected in zip(
        stepped, torch.autograd.grad(attention(x), leaves, upstream), strict=True
    ):
        assert_close(found, expected)


def test_a_detached_cache_carries_no_gradient():
    attention, x = build(mask="causal"), inputs().requires_grad_()
    _, cache = attention.step(x[:, :3])
    output, _ = attention.step(x[:, 3:], cache.detach())
    (gradient,) = torch.autograd.grad(output.sum(), x)
    assert gradient[:, :3].eq(0).all()
    assert gradient[:, 3:].abs().sum() > 0


@pytest.mark.parametrize("num_key_heads", [6, 2])
@pytest.mark.parametrize("cuts", [[3, 1, 1, 1, 1], [4, 3]])
def test_keys_that_a_step_forbids_stay_forbidden(cuts, num_key_heads):
    attention, x = build(mask="causal", num_key_heads=num_key_heads), inputs()
    allowed = torch.ones(BATCH, LENGTH, dtype=torch.bool)
    allowed[0, 1:3] = False
    expected = attention(x, mask=allowed)
    pieces = [allowed[:, : cuts[0]], *[None] * (len(cuts) - 1)]
    assert_close(steps(attention, x, cuts, masks_of_steps=pieces)[0], expected)
    lengths = [torch.tensor([1, cuts[0]]), *[None] * (len(cuts) - 1)]
    allowed[0, 1 : cuts[0]] = False
    found, cache = steps(attention, x, cuts, masks_of_steps=lengths)
    assert_close(found, attention(x, mask=allowed))
    assert cache.allowed.tolist() == allowed.tolist()
    late = [None, *[allowed[:, sum(cuts[:n]) :][:, :c] for n, c in enumerate(cuts)][1:]]
    assert_close(
        steps(attention, x, cuts, masks_of_steps=late)[0],
        attention(x, mask=allowed | (torch.arange(LENGTH) < cuts[0])),
    )


def test_reordered_rows_go_on_as_the_sequences_they_were_copied_from():
    attention, x, rows = build(mask="causal"), inputs(), torch.tensor([1, 1, 0])
    _, cache = attention.step(x[:, :4], mask=torch.tensor([2, 4]))
    output, grown = attention.step(x[rows, 4:], cache.reorder(rows))
    expected, _ = attention.step(x[:, 4:], cache)
    assert_close(output, expected[rows])
    assert grown.position == LENGTH


def test_a_step_changes_no_cache_it_was_given():
    attention, x = build(mask="causal"), inputs()
    _, cache = attention.step(x[:, :4])
    key = cache.key.clone()
    first, _ = attention.step(x[:, 4:], cache)
    again, _ = attention.step(x[:, 4:], cache)
    assert_close(first, again, atol=0, rtol=0)
    assert torch.equal(cache.key, key)
    assert cache.position == 4


def test_under_a_window_the_cache_forgets_what_no_later_query_sees():
    attention, x = build(mask=masks.window(2, 0)), inputs()
    _, cache = steps(
        attention, x, CUTS["in pieces"], masks_of_steps=[torch.tensor([1, 3])] + [None] * 3
    )
    assert cache.key.shape[-2] == 2
    assert cache.allowed.shape == (BATCH, 2)
    assert (cache.start, cache.position) == (LENGTH - 2, LENGTH)
    causal = build(mask="causal")
    assert steps(causal, x, CUTS["in pieces"])[1].key.shape == (BATCH, HEADS, LENGTH, HEAD)


def test_grouped_heads_keep_only_the_keys_they_share():
    attention, x = build(num_key_heads=2, mask="causal"), inputs()
    _, cache = attention.step(x)
    assert cache.key.shape == (BATCH, 2, LENGTH, HEAD)


def test_a_captured_step_shows_the_row_of_the_full_map():
    attention, x = build(num_key_heads=2, mask="causal"), inputs()
    with capture(attention) as record:
        steps(attention, x, CUTS["one by one"])
    full = attention.weights(x)
    for i, look in enumerate(record[""].looks):
        assert_close(look.weigh(), full[:, :, i : i + 1, : i + 1])


CROSS = {
    "plain": {},
    "grouped": {"num_key_heads": 3},
    "rotary": {"position": Rotary(HEAD)},
    "window": {"mask": masks.window(2, 3)},
    "alibi": {"position": Alibi(HEADS)},
    "other width": {"key_dim": 8},
}


@pytest.mark.parametrize("name", CROSS)
def test_cross_attention_steps_over_a_memory_prepared_once(name):
    attention, x = build(**CROSS[name]), inputs(5)
    memory = torch.randn(BATCH, LENGTH, attention.key_dim, dtype=torch.float64)
    lengths = torch.tensor([4, 6])
    prepared = attention.prepare(memory, lengths)
    outputs, last = steps(attention, x, [2, 1, 2], prepared)
    assert_close(outputs, attention(x, memory, mask=lengths))
    assert (prepared.position, last.position) == (0, 5)
    rows = torch.tensor([1, 0, 1])
    assert_close(attention(x[rows], prepared.reorder(rows)), outputs[rows])


def test_a_step_over_a_memory_may_forbid_more_keys():
    attention, x, memory = build(), inputs(5), inputs()
    prepared = attention.prepare(memory, torch.tensor([4, 6]))
    found, _ = attention.step(x, prepared, torch.tensor([2, 7]))
    assert_close(found, attention(x, memory, mask=torch.tensor([2, 6])))
    with_values = attention.prepare(memory, values=memory * 2)
    assert_close(with_values.detach().value, attention.prepare(memory * 2).value)
    assert not with_values.detach().key.requires_grad


def test_a_mask_that_ends_before_the_steps_do_is_refused():
    attention, x = build(mask=masks.causal() & masks.document(_IDS)), inputs(9)
    with pytest.raises(ShapeError, match="one id for each of 8 query positions"):
        steps(attention, x, [7, 1, 1])
