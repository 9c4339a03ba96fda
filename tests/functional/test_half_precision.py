"""Half precision on long sequences: every path is as near to float64 as the reference path is.

The expected numbers are those of the reference path in float64 on the same rounded inputs; its
values are proved by loops in ``test_product.py``. A path may be off by four times the error of the
reference path in the same dtype, plus some roundings of that dtype: the fused kernel rounds weights
before it pools.
"""

import pytest
import torch

from functional.cases.normalisers import NORMALISER, NORMALISERS
from regard import attend, masks, nn, positions, scores
from regard.errors import ChoiceError

HEADS, DIM, VALUE_DIM, HIDDEN = 2, 16, 5, 7
LONG = 512
"""Up to here gradients are looked at too, in every run of the suite."""

HALVES = (torch.bfloat16, torch.float16)
PATHS = ("stream", "lower", "window")
TIMES, ROUNDINGS = 4, 1


def score_cases(length):
    """Scores by name: what makes one of its parameters, and the parameters in float32."""
    random = torch.Generator().manual_seed(length)

    def normal(*shape, scale=1.0):
        return torch.randn(*shape, generator=random) * scale

    centres = torch.rand(1, HEADS, length, generator=random) * (length - 1)
    alibi, square = scores.Alibi(HEADS), normal(DIM, DIM, scale=0.3)
    additive = (normal(HIDDEN), normal(HIDDEN, DIM, scale=0.5), normal(HIDDEN, DIM, scale=0.5))
    table = normal(HEADS, 2 * length - 1)
    return {
        "dot": (scores.Dot, ()),
        "scaled_dot": (scores.ScaledDot, ()),
        "general": (scores.General, (square,)),
        "cosine": (lambda: scores.Cosine(10.0), ()),
        "location": (scores.Location, (normal(length, DIM, scale=0.5),)),
        "euclidean": (scores.Euclidean, ()),
        "euclidean_learned": (scores.Euclidean, (torch.tensor(1.5),)),
        "gaussian": (lambda: scores.Gaussian(0.5), ()),
        "boxcar": (lambda: scores.Boxcar(5.0), ()),
        "epanechnikov": (scores.Epanechnikov, (torch.tensor(9.0),)),
        "additive": (scores.Additive, additive),
        "gated_additive": (scores.GatedAdditive, (normal(DIM // 2),)),
        "alibi": (lambda: alibi, ()),
        "scaled_dot+alibi": (lambda: scores.ScaledDot() + alibi, ()),
        "euclidean+alibi": (lambda: scores.Euclidean(2.0) + alibi, ()),
        "dot+general": (lambda w: scores.ScaledDot() + scores.General(w), (square,)),
        "scaled_dot+relative": (lambda t: scores.ScaledDot() + scores.Relative(t), (table,)),
        "scaled_dot+relative_keys": (
            lambda t: scores.ScaledDot() + scores.RelativeKeys(t),
            (normal(9, DIM),),
        ),
        "general+gaussian_around": (
            lambda w, c: scores.General(w) + scores.GaussianAround(c, 3.0),
            (square, centres),
        ),
        "dot+key_bias": (
            lambda b: scores.ScaledDot() + scores.Bias(b),
            (normal(HEADS, 1, length, scale=30.0),),
        ),
    }


SCORES = tuple(score_cases(3))


def mask_cases(length):
    """One of each kind that the engine treats in its own way."""
    some = torch.rand(length, length, generator=torch.Generator().manual_seed(1)) < 0.7
    padding = masks.padding([length - 5])
    return {
        "none": None,
        "causal": masks.causal(),
        "padding": padding,
        "causal&padding": masks.causal() & padding,
        "window": masks.window(40, 0),
        "window_both": masks.window(30, 20),
        "tensor": masks.dense(some),
        "window&padding": masks.window(30, 0) & padding,
    }


MASKS = tuple(mask_cases(8))


def run(length, score, normaliser, mask, path, dtype, *, exact=False, autocast=False):
    """Context and gradients by name, in float64 on numbers of this dtype if ``exact``."""
    make, parameters = score_cases(length)[score]
    random = torch.Generator().manual_seed(7)

    def leaf(x):
        x = x.to(dtype)
        return (x.double() if exact else x.float() if autocast else x).requires_grad_()

    shapes = ((1, HEADS, length, DIM),) * 2 + ((1, HEADS, length, VALUE_DIM),)
    *vectors, upstream = (torch.randn(s, generator=random) for s in (*shapes, shapes[-1]))
    vectors, parameters = [leaf(x) for x in vectors], [leaf(x) for x in parameters]
    with torch.autocast("cpu", dtype=dtype, enabled=autocast):
        context = attend(
            *vectors,
            score=make(*parameters),
            mask=mask_cases(length)[mask],
            normalise=NORMALISER[normaliser].value,
            path=path,
        )
    names = ("query", "key", "value", *(f"parameter {i}" for i in range(len(parameters))))
    if length > LONG or not context.requires_grad:
        return {"context": context}
    upstream = upstream.to(dtype).to(context.dtype)
    leaves = [*vectors, *parameters]
    found = torch.autograd.grad(context, leaves, upstream, materialize_grads=True)
    return {"context": context, **dict(zip(names, found, strict=True))}


def error(found, wanted):
    return (found.double() - wanted).abs().max().item()


def check(length, score, normaliser, mask, dtype, *, autocast=False):
    """Every path that takes these choices against float64, measured by the reference path."""
    choices = (length, score, normaliser, mask)
    wanted = run(*choices, "reference", dtype, exact=True)
    near = run(*choices, "reference", dtype, autocast=autocast)
    for path in PATHS:
        try:
            found = run(*choices, path, dtype, autocast=autocast)
        except ChoiceError:
            assert path in ("lower", "window")
            continue
        for name, exact in wanted.items():
            floor = ROUNDINGS * torch.finfo(dtype).eps * max(exact.abs().max().item(), 1e-3)
            bound = TIMES * error(near[name], exact) + floor
            off = error(found[name], exact)
            assert off <= bound, f"{name}, {path}, {mask}, {dtype}: off by {off}, allowed {bound}"


ROTATING = ("causal", "window", "tensor", "window_both", "causal&padding", "none", "padding")


@pytest.mark.parametrize("score", SCORES)
def test_softmax_over_512_positions_is_as_near_as_the_reference(score):
    """Each score meets two masks, one in each dtype; the next score meets others."""
    first = SCORES.index(score)
    for i in range(first, first + 2):
        length = 200 if "additive" in score else 512  # they build a tensor of all features
        check(length, score, "softmax", ROTATING[i % len(ROTATING)], HALVES[i % 2])


SMOOTH = [x.name for x in NORMALISERS if x.name != "softmax" and not x.jumps]


@pytest.mark.parametrize("normaliser", SMOOTH)
def test_every_normaliser_over_512_positions_is_as_near_as_the_reference(normaliser):
    """Without those that jump: rounding may change them by more than rounding."""
    first = SMOOTH.index(normaliser)
    score = "gaussian" if normaliser == "proportional" else SCORES[first % 6]
    check(512, score, normaliser, ROTATING[first % len(ROTATING)], HALVES[first % 2])


@pytest.mark.parametrize(
    ("score", "mask"),
    [("scaled_dot+alibi", "causal"), ("scaled_dot+alibi", "window"), ("euclidean", "none")],
)
def test_2048_positions_under_autocast_are_as_near_as_the_reference(score, mask):
    check(2048, score, "softmax", mask, torch.bfloat16, autocast=True)


@pytest.mark.slow
@pytest.mark.parametrize("length", [64, 512, 2048])
@pytest.mark.parametrize("normaliser", ["softmax", *SMOOTH])
@pytest.mark.parametrize("score", SCORES)
def test_every_choice_at_every_length_is_as_near_as_the_reference(score, normaliser, length):
    if normaliser == "proportional" and score not in ("gaussian", "boxcar", "epanechnikov"):
        return  # Rounding may bring the sum of signed scores arbitrarily near to zero.
    for mask in MASKS:
        for dtype in HALVES:
            check(length, score, normaliser, mask, dtype)
        check(length, score, normaliser, mask, torch.bfloat16, autocast=True)


POSITIONS = {
    "alibi": lambda: positions.Alibi(HEADS),
    "relative_bias": lambda: positions.RelativeBias(HEADS, reach=50),
    "shaw_keys": lambda: positions.ShawKeys(DIM, reach=50),
    "t5_bias": lambda: positions.T5Bias(HEADS),
    "rotary": lambda: positions.Rotary(DIM),
}


def autocast_error(position, mask):
    torch.manual_seed(0)
    layer = nn.MultiHeadAttention(HEADS * DIM, HEADS, mask=mask, position=position).eval()
    x = torch.randn(1, 2048, HEADS * DIM)
    with torch.no_grad():
        wanted = layer(x)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return error(layer(x), wanted.double())


@pytest.mark.parametrize("mask", ["causal", masks.window(60, 0)], ids=str)
def test_positions_cost_no_precision_in_a_layer_under_autocast(mask):
    without = autocast_error(None, mask)
    for name, make in POSITIONS.items():
        assert autocast_error(make(), mask) <= TIMES * without, name
