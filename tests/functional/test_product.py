"""The whole product: every score × normaliser × mask × path × dtype, in value and gradient.

Values are compared with plain loops. Gradients are compared with autograd through the reference
path in float64, whose values the loops prove, and whose gradients finite differences prove in
``test_gradients.py``.
"""

from functools import cache, partial

import pytest
import torch

from functional.cases.call import inputs, reference_allowed, reference_context, reference_scores
from functional.cases.masks import MASK, MASKS
from functional.cases.normalisers import NORMALISER, NORMALISERS
from functional.cases.scores import SCORE, SCORES
from functional.cases.sizes import BATCH, HEADS, KEYS, QUERIES, VALUE_DIM, numbers
from regard import attend
from regard.errors import ChoiceError
from regard.functional.engine import stream as blocks

OTHER_DTYPES = (torch.float32, torch.float16, torch.bfloat16)
PATHS = ("reference", "stream", "lower", "window")

GRADIENT = numbers("gradient of the context", BATCH, HEADS, QUERIES, VALUE_DIM)

PRODUCT_MASKS = [
    MASK[name]
    for name in (
        "none",
        "causal",
        "causal(-2)",
        "window(2,1)",
        "padding_of_everything",
        "document",
        "prefix_by_batch",
        "blocks_by_layout",
        "window|global_tokens",
        "tensor",
        "causal&padding",
        "window&padding",
        "~window",
    )
]
"""One of each kind; the others differ in their recipe, not in what the engine does with them."""

LEFT_OUT = (
    *("scaled_dot_0.3", "dot_doubled", "scaled_by_head+alibi"),
    *("additive_projected", "by_mask+relative"),
)
PRODUCT_SCORES = [score for score in SCORES if score.name not in LEFT_OUT]
"""Without those that differ from another by a factor, by less work, or by a term seen elsewhere."""

every_score = pytest.mark.parametrize("score", PRODUCT_SCORES, ids=str)
every_normaliser = pytest.mark.parametrize("normaliser", NORMALISERS, ids=str)
every_path = pytest.mark.parametrize("path", PATHS)


@pytest.fixture(autouse=True)
def _several_blocks(small_blocks, without_shape_checks):
    """Five queries and seven keys are several blocks, and some of their tiles can be skipped.

    Shapes are compared with those of the loops here; checking each signature on the way as well
    would double the time.
    """


def run(score, normaliser, mask, path, dtype, rounded_to=None):
    """Context and gradients of one call; the gradient of the context is always the same."""
    query, key, value, parameters = inputs(score, dtype, rounded_to=rounded_to)
    context = attend(
        query,
        key,
        value,
        score=score.make(**parameters),
        mask=mask.make(),
        normalise=normaliser.value,
        path=path,
    )
    leaves = {"query": query, "key": key, "value": value, **parameters}
    upstream = torch.tensor(GRADIENT, dtype=rounded_to or dtype).to(dtype)
    found = torch.autograd.grad(context, list(leaves.values()), upstream, allow_unused=True)
    gradients = {
        name: torch.zeros_like(leaf) if gradient is None else gradient
        for (name, leaf), gradient in zip(leaves.items(), found, strict=True)
    }
    return context, gradients


@cache
def expected(score, normaliser, mask, dtype):
    """The reference path in float64, on the numbers that ``dtype`` can hold."""
    return run(score, normaliser, mask, "reference", torch.float64, rounded_to=dtype)


@cache
def amplification(score, normaliser, mask):
    """How much a ratio of scores that nearly cancel enlarges an error; 1 if nothing cancels."""
    if normaliser != "proportional":
        return 1.0
    scores = torch.tensor(reference_scores(score), dtype=torch.float64)
    kept = scores * torch.tensor(reference_allowed(mask))
    total = kept.sum(-1).abs()
    rows = kept.abs().sum(-1)[total > 0] / total[total > 0]
    return max(1.0, rows.max().item() if rows.numel() else 1.0)


def tolerance(score, normaliser, mask, path, dtype):
    """Some roundings of the dtype, more where the kernel itself computes in it."""
    roundings = 200 if dtype in (torch.float64, torch.float32) else 3 if path != "lower" else 12
    return (
        roundings * torch.finfo(dtype).eps * amplification(score.name, normaliser.name, mask.name)
    )


def assert_same(found, wanted, bound, what):
    """Each number as near as ``bound`` times the largest one; plain, because it runs so often."""
    assert found.shape == wanted.shape, what
    wanted = wanted.double()
    error = (found.double() - wanted).abs().max().item()
    largest = max(1.0, wanted.abs().max().item())
    assert error <= bound * largest, f"{what}: off by {error}, allowed {bound * largest}"


def allowed_to_refuse(path, error):
    assert path in ("lower", "window"), f"{path} takes every choice"
    assert str(error).startswith(f"path '{path}' cannot run this: "), str(error)
    assert str(error).endswith("; use path='auto'"), str(error)
    return True


def check_float64(score, normaliser, mask, path):
    """Values against the loops, gradients against the reference path."""
    context, gradients = run(score, normaliser, mask, path, torch.float64)
    bound = tolerance(score, normaliser, mask, path, torch.float64)
    loops = reference_context(score.name, normaliser.name, mask.name)
    assert_same(context, torch.tensor(loops, dtype=torch.float64), bound, f"context, {mask}")
    if path != "reference":
        check_gradients(score, normaliser, mask, path, gradients, torch.float64)


def check_rounded(score, normaliser, mask, path, dtype):
    """Values and gradients against the reference path in float64."""
    if normaliser.name == "proportional" and not score.positive and dtype != torch.float32:
        return  # Rounding may bring the sum of signed scores arbitrarily near to zero.
    context, gradients = run(score, normaliser, mask, path, dtype)
    assert context.dtype == dtype
    wanted = expected(score, normaliser, mask, dtype)[0]
    bound = tolerance(score, normaliser, mask, path, dtype)
    assert_same(context, wanted, bound, f"context, {mask}, {dtype}")
    check_gradients(score, normaliser, mask, path, gradients, dtype)


def check_gradients(score, normaliser, mask, path, gradients, dtype):
    wanted = expected(score, normaliser, mask, dtype)[1]
    bound = tolerance(score, normaliser, mask, path, dtype)
    # A ratio is differentiated to a ratio squared; a sum over a batch has more roundings.
    bound *= 5 * amplification(score.name, normaliser.name, mask.name)
    for name, gradient in gradients.items():
        assert gradient.dtype == dtype
        assert_same(gradient, wanted[name], bound, f"gradient of {name}, {mask}, {dtype}")


def some_masks(score, normaliser, step):
    """One mask in so many; the next score and the next normaliser meet the next ones."""
    return PRODUCT_MASKS[(SCORES.index(score) + NORMALISERS.index(normaliser)) % step :: step]


@every_path
@every_normaliser
@every_score
def test_float64_equals_the_loops_in_value_and_the_reference_in_gradient(score, normaliser, path):
    for mask in some_masks(score, normaliser, 3):
        try:
            check_float64(score, normaliser, mask, path)
        except ChoiceError as error:
            assert allowed_to_refuse(path, error)


@every_path
@every_normaliser
@every_score
def test_another_dtype_equals_float64_up_to_its_rounding(score, normaliser, path):
    """Each mask meets one dtype here, another with the next score; see below for all."""
    for i, mask in enumerate(some_masks(score, normaliser, 6), start=SCORES.index(score)):
        try:
            check_rounded(score, normaliser, mask, path, OTHER_DTYPES[i % len(OTHER_DTYPES)])
        except ChoiceError as error:
            assert allowed_to_refuse(path, error)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [torch.float64, *OTHER_DTYPES], ids=str)
@every_path
@pytest.mark.parametrize("normaliser", NORMALISERS, ids=str)
@pytest.mark.parametrize("score", SCORES, ids=str)
def test_every_mask_in_every_dtype_equals_the_reference(score, normaliser, path, dtype):
    check = check_float64 if dtype == torch.float64 else partial(check_rounded, dtype=dtype)
    for mask in MASKS:
        try:
            check(score, normaliser, mask, path)
        except ChoiceError as error:
            assert allowed_to_refuse(path, error)


def test_the_fused_path_takes_what_it_is_there_for():
    """The refusals above are no way out for the choices that the fused path is made for."""
    inner = ("dot", "scaled_dot", "general", "cosine", "location", "euclidean")
    for score in inner:
        for mask in ("none", "causal", "padding", "tensor", "causal&padding"):
            run(SCORE[score], NORMALISER["softmax"], MASK[mask], "lower", torch.float32)
    run(SCORE["gaussian"], NORMALISER["proportional"], MASK["none"], "lower", torch.float32)
    run(SCORE["scaled_dot+alibi"], NORMALISER["softmax"], MASK["causal"], "lower", torch.float32)


def test_several_blocks_are_streamed_and_empty_tiles_skipped():
    """Otherwise the small blocks of this file prove less than they seem to."""
    cut = blocks.row_blocks(MASK["window(2,1)"].make(), QUERIES, KEYS, 6, torch.device("cpu"))
    assert len(cut) > 1
    assert any(len(block.columns) < KEYS for block in cut)
