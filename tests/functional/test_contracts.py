"""What every mechanism promises, whichever path runs it."""

import pytest
import torch
from torch.testing import assert_close

from functional.cases.call import inputs, reference_allowed, reference_weights
from functional.cases.masks import MASK, MASKS
from functional.cases.normalisers import NORMALISER, NORMALISERS
from functional.cases.scores import SCORE, SCORES
from functional.cases.sizes import BATCH, HEADS, KEYS, QUERIES, QUERY_DIM, VALUE_DIM
from regard import attend, masks, normalisers, plan, scores, top_weights, weigh
from regard.errors import ChoiceError

PATHS = ("auto", "reference", "stream", "lower", "window")
EVERYWHERE = ("auto", "reference", "stream")

every_score = pytest.mark.parametrize("score", SCORES, ids=str)
every_normaliser = pytest.mark.parametrize("normaliser", NORMALISERS, ids=str)
every_mask = pytest.mark.parametrize("mask", MASKS, ids=str)
every_path = pytest.mark.parametrize("path", PATHS)


@pytest.fixture(autouse=True)
def _several_blocks(small_blocks):
    """The tiny maps of this file are streamed in several blocks."""


def tensors(score, dtype=torch.float64):
    """Fresh leaves: query, key, value and the made score."""
    query, key, value, parameters = inputs(score, dtype)
    fresh = {name: x.detach().clone().requires_grad_() for name, x in parameters.items()}
    vectors = [x.detach().clone().requires_grad_() for x in (query, key, value)]
    return *vectors, score.make(**fresh)


def runs(path, **choices):
    """Whether this path takes these choices; it refuses by ChoiceError only."""
    try:
        attend(*(torch.zeros(BATCH, HEADS, n, 4) for n in (2, 2, 2)), path=path, **choices)
    except ChoiceError:
        return False
    return True


# --- rows with no key -----------------------------------------------------------------------------

SOME_EMPTY = ["causal(-2)", "padding_of_everything", "document", "tensor", "causal&padding"]


@every_path
@pytest.mark.parametrize("mask", SOME_EMPTY)
@every_normaliser
def test_a_query_with_no_key_has_a_zero_context_and_zero_gradients(normaliser, mask, path):
    query, key, value, score = tensors(SCORE["scaled_dot"])
    choices = {"score": score, "mask": MASK[mask].make(), "normalise": normaliser.value}
    try:
        context = attend(query, key, value, path=path, **choices)
    except ChoiceError:
        assert path in ("lower", "window")
        return
    empty = ~torch.tensor(reference_allowed(mask)).any(-1)
    assert empty.any()
    assert (context[empty] == 0).all()
    assert (weigh(query, key, **choices)[empty] == 0).all()
    context.square().sum().backward()
    for leaf in (query, key, value):
        if leaf.grad is not None:
            assert leaf.grad.isfinite().all()
    if query.grad is not None:
        assert (query.grad[empty] == 0).all()


@every_path
@every_score
def test_if_nobody_may_attend_everything_is_zero(score, path):
    query, key, value, made = tensors(score, torch.float32)
    nobody = torch.zeros(QUERIES, KEYS, dtype=torch.bool)
    try:
        context = attend(query, key, value, score=made, mask=nobody, path=path)
    except ChoiceError:
        assert path in ("lower", "window")
        return
    assert not context.any()
    context.sum().backward()
    for leaf in (query, key, value):
        assert leaf.grad is None or not leaf.grad.any()


# --- weights --------------------------------------------------------------------------------------


@every_mask
@every_normaliser
def test_weights_equal_the_loops_and_are_exactly_zero_where_masked(normaliser, mask):
    """Two scores here, the other two with the next mask or normaliser."""
    first = (NORMALISERS.index(normaliser) + MASKS.index(mask)) % 2
    for score in ("scaled_dot", "additive", "alibi", "epanechnikov")[first::2]:
        query, key, _, made = tensors(SCORE[score])
        weights = weigh(query, key, score=made, mask=mask.make(), normalise=normaliser.value)
        loops = torch.tensor(
            reference_weights(score, normaliser.name, mask.name), dtype=torch.float64
        )
        assert weights.shape == loops.shape
        assert_close(weights, loops, rtol=1e-8, atol=1e-10)
        assert (weights[~torch.tensor(reference_allowed(mask.name))] == 0).all()


@every_normaliser
@every_score
def test_weights_times_values_are_the_context(score, normaliser):
    """One mask here, another with the next score or normaliser."""
    query, key, value, made = tensors(score)
    names = ("none", "causal&padding", "tensor")
    name = names[(SCORES.index(score) + NORMALISERS.index(normaliser)) % len(names)]
    choices = {"score": made, "mask": MASK[name].make(), "normalise": normaliser.value}
    pooled = weigh(query, key, **choices) @ value
    assert_close(attend(query, key, value, **choices), pooled, rtol=1e-7, atol=1e-8)


# --- dtypes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16], ids=str
)
@every_path
def test_the_context_and_the_weights_have_the_dtype_of_the_query(path, dtype):
    query, key, value, _ = tensors(SCORE["scaled_dot"], dtype)
    mask = masks.window(1, 0) if path == "window" else None
    assert attend(query, key, value, mask=mask, path=path).dtype == dtype
    assert weigh(query, key).dtype == dtype
    assert top_weights(query, key, 2).weights.dtype == dtype
    assert weigh(query, key, columns="mean").dtype == dtype


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_weights_are_normalised_in_float32_however_many_keys_there_are(dtype):
    """4096 equal weights: a sum in float16 or bfloat16 stops growing long before."""
    query, key = torch.zeros(1, 2, dtype=dtype), torch.zeros(4096, 2, dtype=dtype)
    value = torch.ones(4096, 3, dtype=dtype)
    for path in (*EVERYWHERE, "lower"):
        assert_close(attend(query, key, value, path=path), torch.ones(1, 3, dtype=dtype))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_a_position_bias_stays_exact_in_low_precision_over_a_long_sequence(dtype):
    """A slope times 600 positions does not fit the digits of float16; the differences must."""
    length, generator = 600, torch.Generator().manual_seed(2)
    query, key, value = (torch.randn(2, length, 8, generator=generator).to(dtype) for _ in range(3))
    score, mask = scores.ScaledDot() + scores.Alibi(2), masks.causal()
    exact = attend(
        query.double(), key.double(), value.double(), score=score, mask=mask, path="reference"
    )
    for path in PATHS[:4]:
        found = attend(query, key, value, score=score, mask=mask, path=path)
        bound = 16 * torch.finfo(dtype).eps
        assert_close(found.double(), exact, rtol=bound, atol=bound)


# --- batches --------------------------------------------------------------------------------------


@every_path
@every_score
def test_a_batch_of_one_is_a_row_of_the_batch(score, path):
    if "gaussian_around" in score.name:
        pytest.skip("its centres have a batch of their own")
    query, key, value, made = tensors(score)
    mask = masks.window(2, 1) if path == "window" else None
    try:
        whole = attend(query, key, value, score=made, mask=mask, path=path)
    except ChoiceError:
        assert path in ("lower", "window")
        return
    for b in range(BATCH):
        alone = attend(query[b : b + 1], key[b : b + 1], value[b : b + 1], score=made, mask=mask)
        assert_close(alone[0], whole[b], rtol=1e-9, atol=1e-11)
        bare = attend(query[b], key[b], value[b], score=made, mask=mask)
        assert_close(bare, whole[b], rtol=1e-9, atol=1e-11)


BROADCASTS = {
    "shared keys": ((2, 3), (1, 1), (1, 1)),
    "shared queries": ((1, 1), (2, 3), (2, 3)),
    "keys without heads": ((2, 3), (2, 1), (2, 1)),
    "crossed": ((2, 1), (1, 3), (1, 1)),
    "no axes for keys": ((2, 3), (), ()),
    "no axes for queries": ((), (2, 3), (2, 3)),
    "only values": ((), (), (2, 3)),
    "only queries": ((2, 3), (), (2, 3)),
    "five axes": ((2, 1, 3), (1, 2, 3), (2, 2, 1)),
}


@every_path
@pytest.mark.parametrize("shapes", BROADCASTS.values(), ids=BROADCASTS)
@pytest.mark.parametrize("score", ["scaled_dot", "additive", "euclidean", "location", "gaussian"])
def test_leading_axes_broadcast_as_if_they_were_written_out(score, shapes, path):
    made = tensors(SCORE[score])[-1]
    sizes = ((QUERIES, QUERY_DIM), (KEYS, SCORE[score].key_dim), (KEYS, VALUE_DIM))
    small = [
        torch.randn(*leading, *size, dtype=torch.float64, requires_grad=True)
        for leading, size in zip(shapes, sizes, strict=True)
    ]
    leading = torch.broadcast_shapes(*shapes)
    large = [x.detach().expand(*leading, *x.shape[-2:]).clone() for x in small]
    lengths = masks.padding(torch.arange(1, leading[0] + 1) * 2)
    mask = masks.window(2, 1) if path == "window" else masks.causal(1) & lengths
    mask = masks.causal() & lengths if path == "lower" else mask
    try:
        found = attend(*small, score=made, mask=mask, path=path)
    except ChoiceError:
        assert path in ("lower", "window")
        return
    expected = attend(*large, score=made, mask=mask, path="reference")
    assert found.shape == expected.shape
    assert_close(found, expected, rtol=1e-9, atol=1e-11)
    weights = weigh(*small[:2], score=made)
    assert weights.shape == (*torch.broadcast_shapes(*shapes[:2]), QUERIES, KEYS)
    found.sum().backward()
    assert all(x.grad is None or x.grad.shape == x.shape for x in small)


@every_path
@pytest.mark.parametrize("score", ["alibi", "scaled_dot+alibi", "scaled_dot+relative"])
def test_a_position_term_takes_the_batch_of_its_vectors(score, path):
    query, key, value, made = tensors(SCORE[score])
    lengths = masks.padding(torch.tensor([3, 6]))
    mask = masks.causal() & lengths
    try:
        found = attend(query[:1], key[:1], value, score=made, mask=mask, path=path)
    except ChoiceError:
        assert path in ("lower", "window")
        return
    query, key = (x[:1].expand(BATCH, -1, -1, -1) for x in (query, key))
    expected = attend(query, key, value, score=made, mask=mask, path="reference")
    assert_close(found, expected, rtol=1e-9, atol=1e-11)
    assert weigh(query, key, score=made).shape == (BATCH, HEADS, QUERIES, KEYS)


# --- padding --------------------------------------------------------------------------------------


def padded(x, garbage, count):
    shape = (*x.shape[:-2], count, x.shape[-1])
    return torch.cat([x.detach(), torch.full(shape, garbage, dtype=x.dtype)], dim=-2)


@every_path
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@every_score
def test_neither_the_amount_nor_the_content_of_padding_matters(score, dtype, path):
    if score.name == "location" or score.name.endswith("bias"):
        pytest.skip("its table ends with the keys")
    query, key, value, made = tensors(score, dtype)
    bare = attend(query, key, value, score=made, path="reference")
    for garbage, count in ((0.0, 1), (1e4, 3), (-1e6, 2)):
        mask = masks.padding(torch.full((BATCH,), KEYS))
        longer = padded(key, garbage, count), padded(value, garbage, count)
        try:
            found = attend(query, *longer, score=made, mask=mask, path=path)
        except ChoiceError:
            assert path in ("lower", "window")
            return
        bound = 1e-5 if dtype == torch.float32 else 1e-11
        assert_close(found, bare, rtol=bound, atol=bound)


@pytest.mark.parametrize("normaliser", ["softmax", "sparsemax", "relu", "top_k(2)", "hard"])
def test_padding_does_not_change_other_normalisers_either(normaliser):
    query, key, value, _ = tensors(SCORE["scaled_dot"])
    normalise = NORMALISER[normaliser].value
    bare = attend(query, key, value, normalise=normalise)
    mask = masks.padding([KEYS, KEYS])
    longer = padded(key, 1e5, 4), padded(value, 1e5, 4)
    for path in EVERYWHERE:
        found = attend(query, *longer, mask=mask, normalise=normalise, path=path)
        assert_close(found, bare, rtol=1e-11, atol=1e-11)


@every_path
def test_the_gradient_of_padding_is_zero(path):
    query, key, value, _ = tensors(SCORE["scaled_dot"])
    mask = masks.padding([2, 5])
    try:
        attend(query, key, value, mask=mask, path=path).square().sum().backward()
    except ChoiceError:
        assert path == "window"
        return
    for x in (key, value):
        assert not x.grad[0, :, 2:].any()
        assert not x.grad[1, :, 5:].any()
        assert x.grad[0, :, :2].any()


# --- state ----------------------------------------------------------------------------------------


@every_path
def test_calling_twice_gives_the_same_and_changes_no_input(path):
    query, key, value, _ = tensors(SCORE["scaled_dot"])
    mask = masks.window(1, 0)
    before = [x.detach().clone() for x in (query, key, value)]
    if not runs(path, mask=mask):
        assert path == "lower"
        mask = masks.causal()
    first = attend(query, key, value, mask=mask, path=path)
    assert torch.equal(first, attend(query, key, value, mask=mask, path=path))
    assert all(torch.equal(a, b) for a, b in zip(before, (query, key, value), strict=True))


def test_the_plan_is_the_path_that_runs_and_gives_a_reason():
    query, key, value, _ = tensors(SCORE["scaled_dot"], torch.float32)
    for normalise in ("softmax", "sparsemax", "hard"):
        for mask in (None, masks.causal(), masks.window(1, 1)):
            choices = {"mask": mask, "normalise": normalise}
            chosen = plan(query, key, value, **choices)
            assert chosen.why
            found = attend(query, key, value, path=chosen.path, **choices)
            assert torch.equal(found, attend(query, key, value, **choices))


def test_a_plan_draws_no_random_number():
    query, key, value, _ = tensors(SCORE["scaled_dot"])
    before = torch.get_rng_state()
    plan(query, key, value, dropout=0.5)
    plan(query, key, value, normalise=normalisers.Sample())
    assert torch.equal(before, torch.get_rng_state())
