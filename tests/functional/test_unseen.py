"""What may not be seen does not matter, whatever it holds, in value and gradient."""

from functools import cache

import pytest
import torch
from torch.testing import assert_close

from functional.cases.call import inputs, reference_allowed
from functional.cases.masks import MASK, MASKS
from functional.cases.normalisers import NORMALISER, NORMALISERS
from functional.cases.scores import SCORE, SCORES
from functional.cases.sizes import BATCH, HEADS, QUERIES, VALUE_DIM, numbers
from regard import attend, masks, statistics, weigh
from regard.errors import ChoiceError
from regard.nn import BahdanauAttention, LocalAttention, LuongAttention

PATHS = ("reference", "stream", "lower", "window")
JUNK = (torch.nan, torch.inf, -torch.inf, 1e30)
KINDS = (
    "causal",
    "padding",
    "tensor",
    "window(2,1)",
    "causal&padding",
    "window&padding",
    "document",
    "window|global_tokens",
    "~window",
)
UPSTREAM = torch.tensor(
    numbers("upstream of rows", BATCH, HEADS, QUERIES, VALUE_DIM), dtype=torch.float64
)


@pytest.fixture(autouse=True)
def _several_blocks(small_blocks, without_shape_checks):
    """Several blocks; and calls as users make them."""


@cache
def places(mask):
    """Where junk is put (B, H, K), and the queries that see none of it (B, H, Q).

    Junk are the keys that nobody may see, and of those that some may see the last one.
    """
    allowed = torch.tensor(reference_allowed(mask))
    junk = ~allowed.any(-2)
    some = allowed.any(-2) & ~allowed.all(-2)
    last = some & (some.flip(-1).cumsum(-1) == 1).flip(-1)
    junk = junk | last
    return junk, ~(allowed & junk.unsqueeze(-2)).any(-1)


def outcome(score, normaliser, mask, path, fill, *, gradients):
    """What the untouched queries get, and the gradients of it by all that goes in."""
    junk, untouched = places(mask)
    vectors, parameters = inputs(SCORE[score])[:3], inputs(SCORE[score])[3]
    query, key, value = (x.detach().clone() for x in vectors)
    key[junk], value[junk] = fill, fill
    leaves = [x.requires_grad_(gradients) for x in (query, key, value)]
    made = [x.detach().clone().requires_grad_(gradients) for x in parameters.values()]
    context = attend(
        *leaves,
        score=SCORE[score].make(**dict(zip(parameters, made, strict=True))),
        mask=MASK[mask].make(),
        normalise=NORMALISER[normaliser].value,
        path=path,
    )
    if not gradients or not context.requires_grad:
        return [context[untouched]]
    upstream = UPSTREAM * untouched.unsqueeze(-1)
    found = torch.autograd.grad(context, leaves + made, upstream, materialize_grads=True)
    assert (found[1][junk] == 0).all() and (found[2][junk] == 0).all()
    return [context[untouched], *found]


def check(score, normaliser, mask, fill):
    for gradients in (True, False):
        for path in PATHS:
            try:
                wanted = outcome(score, normaliser, mask, path, 0.0, gradients=gradients)
            except ChoiceError:
                assert path in ("lower", "window")
                continue
            found = outcome(score, normaliser, mask, path, fill, gradients=gradients)
            for one, expected in zip(found, wanted, strict=True):
                error = (one - expected).abs().max().item() if one.numel() else 0.0
                assert error < 1e-8, f"{path}, {mask}, {fill}, {gradients}"


@pytest.mark.parametrize("normaliser", list(NORMALISER))
@pytest.mark.parametrize("score", list(SCORE))
def test_what_a_query_may_not_see_does_not_reach_it(score, normaliser):
    """One mask and one kind of junk here, others with the next score or normaliser."""
    i = SCORES.index(SCORE[score]) + NORMALISERS.index(NORMALISER[normaliser])
    check(score, normaliser, KINDS[i % len(KINDS)], JUNK[i % len(JUNK)])


@pytest.mark.slow
@pytest.mark.parametrize("normaliser", list(NORMALISER))
@pytest.mark.parametrize("score", list(SCORE))
def test_no_kind_of_junk_passes_any_mask(score, normaliser):
    for mask in MASKS:
        for fill in JUNK if mask.name != "none" else ():
            check(score, normaliser, mask.name, fill)


@pytest.mark.parametrize("mask", KINDS)
@pytest.mark.parametrize("score", ["scaled_dot", "euclidean", "additive", "cosine"])
def test_weights_and_their_statistics_do_not_know_it_either(score, mask):
    fill = JUNK[(len(score) + KINDS.index(mask)) % len(JUNK)]
    junk, untouched = places(mask)
    query, key, _, parameters = inputs(SCORE[score])
    both = {}
    for content in (0.0, fill):
        keys = key.detach().clone()
        keys[junk] = content
        keys.requires_grad_()
        choices = {"score": SCORE[score].make(**parameters), "mask": MASK[mask].make()}
        weights = weigh(query, keys, **choices)
        some = weigh(query, keys, rows=[4, 1], heads=[2, 0], **choices)
        seen = statistics(query, keys, **choices)
        (gradient,) = torch.autograd.grad(weights[untouched].square().sum(), keys)
        assert (gradient[junk] == 0).all()
        with torch.no_grad():
            plain = weigh(query, keys, **choices)
        both[content] = [
            weights[untouched],
            plain[untouched],
            some[untouched[:, [2, 0]][..., [4, 1]]],
            gradient,
            *(x[untouched] for x in seen[:4]),
        ]
    for found, wanted in zip(both[fill], both[0.0], strict=True):
        assert_close(found, wanted)


def test_a_query_that_sees_it_is_told_and_so_is_its_gradient():
    """Nothing is swept under the carpet: NaN in, NaN out, for those who may look."""
    query, key, value = (torch.randn(2, 3, 5, 4, requires_grad=True) for _ in range(3))
    spoiled = value.detach().clone()
    spoiled[..., 4, :] = torch.nan
    spoiled.requires_grad_()
    for path in ("reference", "stream", "lower"):
        context = attend(query, key, spoiled, mask="causal", path=path)
        assert context[..., :4, :].isfinite().all() and context[..., 4, :].isnan().all()
        (gradient,) = torch.autograd.grad(context.sum(), query)
        assert gradient[..., 4, :].isnan().all() and gradient[..., :4, :].isfinite().all()


@pytest.mark.parametrize("fill", JUNK)
@pytest.mark.parametrize("what", ["key", "value", "both"])
@pytest.mark.parametrize("path", ["reference", "lower"])
def test_a_later_key_of_a_long_sequence_does_not_reach_earlier_queries(path, what, fill):
    # Far behind the first query, which no block of a kernel computes together with it.
    torch.manual_seed(0)
    query, key, value = (torch.randn(1, 2, 2000, 5) for _ in range(3))
    clean = attend(query, key, value, mask="causal", path="reference")
    if what != "value":
        key[..., 1500, 1] = fill
    if what != "key":
        value[..., 1500, 2] = fill
    context = attend(query, key, value, mask="causal", path=path)
    assert_close(context[..., :1500, :], clean[..., :1500, :])


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_half_precision_is_blind_too(dtype):
    query, key, value = (torch.randn(2, 3, 70, 4, dtype=dtype) for _ in range(3))
    mask = masks.padding([60, 69])
    outcomes = []
    for fill in (0.0, torch.nan):
        key[..., 69:, :], value[..., 69:, :] = fill, fill
        leaves = [x.clone().requires_grad_() for x in (query, key, value)]
        context = attend(*leaves, mask=mask)
        outcomes.append([context, *torch.autograd.grad(context.sum(), leaves)])
    for found, wanted in zip(*outcomes, strict=True):
        assert_close(found, wanted)


@pytest.mark.parametrize(
    "attention",
    [
        LuongAttention(4, 3, score="general"),
        BahdanauAttention(4, 3, 5),
        LocalAttention(4, 3, half_width=2),
        LocalAttention(4, 3, half_width=3, predictive=True),
    ],
    ids=["luong", "bahdanau", "local-m", "local-p"],
)
@pytest.mark.parametrize("mask", [torch.tensor([5, 3]), torch.arange(7) < torch.tensor([[5], [3]])])
def test_a_decoder_is_not_moved_by_padding_of_nan(attention, mask):
    state, keys, outcomes = torch.randn(2, 4), torch.randn(2, 7, 3), []
    step = {"step": 3} if isinstance(attention, LocalAttention) else {}
    for fill in (0.0, torch.nan):
        memory = keys.masked_fill((torch.arange(7) >= torch.tensor([[5], [3]])).unsqueeze(-1), fill)
        leaf = memory.requires_grad_()
        context, weights = attention(state, attention.prepare(leaf, mask), **step)
        parameters = [x for x in attention.parameters() if x.requires_grad]
        found = torch.autograd.grad(context.sum(), [leaf, *parameters], materialize_grads=True)
        outcomes.append([context, weights, *found])
    for found, wanted in zip(*outcomes, strict=True):
        assert_close(found, wanted)
