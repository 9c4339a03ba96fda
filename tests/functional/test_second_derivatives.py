"""Second derivatives against finite differences, and forwards, on every path."""

from functools import partial

import jaxtyping
import pytest
import torch
from torch.autograd import gradcheck, gradgradcheck
from torch.testing import assert_close

from functional.cases.normalisers import NORMALISERS
from functional.cases.scores import SCORE, SCORES
from functional.test_gradients import ALLOWED, attention_of, small_inputs
from regard import attend, masks, scores, weigh
from regard.functional.engine import stream as blocks

# torch loads its own forward derivatives so.
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script`:DeprecationWarning")

SMOOTH = [case for case in SCORES if case.name != "boxcar"]
FUSED = ["scaled_dot", "general", "cosine", "euclidean", "dot+bias"]
twice = partial(gradgradcheck, fast_mode=True)


def second(function, leaves):
    """The gradient of the squared gradient of the squared output; zeros where nothing is read."""
    how = {"allow_unused": True, "materialize_grads": True}
    found = torch.autograd.grad(function(*leaves).square().sum(), leaves, create_graph=True, **how)
    return torch.autograd.grad(sum(each.square().sum() for each in found), leaves, **how)


@pytest.fixture(autouse=True)
def _several_blocks(small_blocks, without_shape_checks):
    """Three queries are two blocks; finite differences are many calls."""


@pytest.mark.parametrize("score", SMOOTH, ids=str)
def test_every_score_has_the_second_derivatives_of_finite_differences(score):
    leaves, names = small_inputs(score)
    assert twice(attention_of(score, names, "sigmoid", "reference"), leaves)


@pytest.mark.parametrize("score", SMOOTH, ids=str)
def test_every_score_has_the_second_derivatives_of_the_reference_in_blocks(score):
    leaves, names = small_inputs(score)
    paths = "stream", "reference"
    found = (second(attention_of(score, names, "sigmoid", path), leaves) for path in paths)
    for mine, expected in zip(*found, strict=True):
        assert_close(mine, expected)


@pytest.mark.parametrize("path", ["reference", "stream"])
@pytest.mark.parametrize(
    "normaliser", [case for case in NORMALISERS if case.name not in ("hard", "mean")], ids=str
)
def test_every_normaliser_has_the_second_derivatives_of_finite_differences(normaliser, path):
    leaves, names = small_inputs(SCORE["scaled_dot"])
    assert twice(attention_of(SCORE["scaled_dot"], names, normaliser.value, path), leaves)


@pytest.mark.parametrize("path", ["lower", "stream"])
@pytest.mark.parametrize("score", FUSED)
def test_torchs_kernel_has_the_second_derivatives_of_finite_differences(score, path):
    leaves, names = small_inputs(SCORE[score])
    assert twice(attention_of(SCORE[score], names, "softmax", path), leaves)


@pytest.mark.parametrize(
    ("mask", "path"),
    [
        (masks.causal(), "lower"),
        (masks.padding([0, 3, 4]), "lower"),
        (masks.causal() & masks.padding([2, 0, 4]), "lower"),
        (masks.window(1, 0), "window"),
    ],
    ids=repr,
)
def test_torchs_kernel_has_them_under_every_mask_it_takes(mask, path):
    leaves, _ = small_inputs(SCORE["scaled_dot"])
    assert twice(lambda *x: attend(*x, mask=mask, path=path), leaves)


def test_weights_have_second_derivatives():
    leaves, names = small_inputs(SCORE["additive"])

    def function(query, key, *tensors):
        score = scores.Additive(**dict(zip(names, tensors, strict=True)))
        return weigh(query, key, score=score, mask=ALLOWED)

    assert twice(function, (*leaves[:2], *leaves[3:]))


@pytest.mark.parametrize("score", ["additive", "gaussian", "by_mask+relative"])
@pytest.mark.parametrize("path", ["reference", "stream"])
def test_forward_and_batched_gradients_are_those_of_finite_differences(score, path):
    leaves, names = small_inputs(SCORE[score])
    function = attention_of(SCORE[score], names, "softmax", path)
    assert gradcheck(
        function, leaves, fast_mode=True, check_forward_ad=True, check_batched_grad=True
    )


def additive(query, key, value, v):
    """Bahdanau's attention, written with torch alone."""
    hidden = torch.tanh(query.unsqueeze(-2) + key.unsqueeze(-3))
    return (hidden @ v).softmax(-1) @ value


def test_several_tiles_of_a_usual_size_have_the_second_derivatives_of_torch(monkeypatch):
    monkeypatch.undo()  # the plan and the blocks of a user's call
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
    assert blocks.TILE == 64
    leaves = [torch.randn(1, 140, 4, dtype=torch.float64, requires_grad=True) for _ in range(3)]
    leaves.append(torch.randn(4, dtype=torch.float64, requires_grad=True))
    found = second(lambda *x: attend(*x[:3], score=scores.Additive(x[3])), leaves)
    for mine, theirs in zip(found, second(additive, leaves), strict=True):
        assert_close(mine, theirs)


@pytest.mark.parametrize("path", ["auto", "reference"])
def test_products_with_the_hessian_are_those_of_torch(path):
    query, key, value = (torch.randn(1, 140, 4, dtype=torch.float64) for _ in range(3))
    v, direction = torch.randn(4, dtype=torch.float64), torch.randn(1, 140, 4, dtype=torch.float64)

    def ours(x):
        return attend(x, key, value, score=scores.Additive(v), path=path).square().sum()

    def theirs(x):
        return additive(x, key, value, v).square().sum()

    found = torch.autograd.functional.hvp(ours, query, direction)[1]
    assert_close(found, torch.autograd.functional.hvp(theirs, query, direction)[1])


@pytest.mark.parametrize("path", ["reference", "stream", "lower"])
@pytest.mark.parametrize("score", [scores.Euclidean(), scores.Gaussian(0.7)], ids=repr)
def test_a_query_that_meets_its_key_has_its_curvature(score, path):
    """Self attention: at distance 0 the distance has no derivative, but its square has."""
    x = torch.randn(1, 5, 3, dtype=torch.float64, requires_grad=True)
    normalise = "proportional" if score.name == "gaussian" else "softmax"
    width = 2**0.5 * 0.7 if score.name == "gaussian" else 1.0

    def ours(x):
        return attend(x, x, x, score=score, normalise=normalise, path=path)

    def theirs(x):
        apart = (x.unsqueeze(-2) - x.unsqueeze(-3)).square().sum(-1) / width**2
        return (-apart).softmax(-1) @ x

    assert_close(second(ours, [x]), second(theirs, [x]))


def test_a_cone_has_no_nan_at_its_tip():
    x = torch.randn(1, 5, 3, dtype=torch.float64, requires_grad=True)
    score = scores.Epanechnikov(3.0)
    (found,) = second(lambda x: attend(x, x, x, score=score, normalise="proportional"), [x])
    assert found.isfinite().all()


def test_a_key_made_from_the_query_counts_once():
    x = torch.randn(1, 5, 4, dtype=torch.float64, requires_grad=True)

    def function(x):
        key = x.sin()
        return attend(x, key, key * x, path="stream")

    assert twice(function, (x,))


def test_a_context_can_be_changed_in_place_before_the_backward_pass():
    query, key, value = (torch.randn(1, 5, 4, requires_grad=True) for _ in range(3))
    context = attend(query, key, value, path="stream", normalise="sparsemax")
    context.mul_(2)
    context.sum().backward()
    assert query.grad is not None
    fused = attend(query, key, value, path="lower")
    fused.add_(1)  # what torch's own attention allows, too
    assert fused.requires_grad
