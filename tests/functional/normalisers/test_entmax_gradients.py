"""Sparsemax and entmax: first and second derivatives, under vmap and torch.compile."""

import os
import subprocess
import sys

import entmax as package
import pytest
import torch
from torch.autograd import gradcheck, gradgradcheck

from regard.functional.normalisers import Entmax, entmax15, sparsemax
from regard.functional.normalisers.entmax import jacobian_product
from regard.kernels.available import without_numba

ALPHAS = (1.05, 1.25, 1.5, 1.8, 2.0, 3.0, 5.0)

# torch loads its own forward derivatives so.
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script`:DeprecationWarning")


@pytest.fixture(params=["numba", "eager"], autouse=True)
def route(request):
    """Every test runs twice: by compiled rows and by tensor operations."""
    if request.param == "numba":
        pytest.importorskip("numba")
        yield request.param
    else:
        with without_numba():
            yield request.param


def masked_case():
    """Scores (2, 3, 7), one row of them with no allowed key, one with a single one."""
    scores = torch.randn(2, 3, 7, dtype=torch.float64, requires_grad=True)
    allowed = torch.rand(2, 3, 7) < 0.7
    allowed[1, 2] = False
    allowed[0, 1] = torch.arange(7) == 4
    return scores, allowed


@pytest.mark.parametrize("alpha", [1.25, 1.5, 2.0, 3.0])
def test_first_and_second_derivatives(alpha):
    scores, allowed = masked_case()

    def weights(x):
        return Entmax(alpha)(x, allowed)

    assert gradcheck(weights, scores, check_forward_ad=True, check_batched_grad=True)
    assert gradgradcheck(weights, scores)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("second", [False, True], ids=["once", "twice"])
def test_masked_keys_and_empty_rows_have_no_gradient(alpha, second):
    scores, allowed = masked_case()
    weights = Entmax(alpha)(scores.float(), allowed)
    wanted = torch.randn(2, 3, 7).masked_fill(
        ~allowed, torch.inf
    )  # what is masked is not looked at
    (gradient,) = torch.autograd.grad(weights, scores, wanted, create_graph=second)
    assert gradient.isfinite().all()
    assert gradient[~allowed].count_nonzero() == 0


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("scale", [1e-3, 0.1, 1.0, 10.0])
def test_float32_gradients_are_those_of_float64(alpha, scale):
    scores = (scale * torch.randn(5, 300)).requires_grad_()
    wanted = torch.randn(5, 300)
    weights = Entmax(alpha)(scores)
    (gradient,) = torch.autograd.grad(weights, scores, wanted)
    target = jacobian_product(weights.detach().double(), wanted.double(), alpha)
    largest = target.abs().max().item()
    torch.testing.assert_close(gradient.double(), target, rtol=2e-6, atol=1e-6 * largest)


def test_gradients_equal_those_of_the_entmax_package():
    wanted = torch.randn(2, 3, 5, 7, dtype=torch.float64)
    for ours, theirs in (
        (sparsemax, package.sparsemax),
        (entmax15, package.entmax15),
        (Entmax(1.25), lambda x, dim: package.entmax_bisect(x, 1.25, dim)),
    ):
        scores = torch.randn(2, 3, 5, 7, dtype=torch.float64, requires_grad=True)
        (mine,) = torch.autograd.grad(ours(scores), scores, wanted)
        (other,) = torch.autograd.grad(theirs(scores, dim=-1), scores, wanted)
        torch.testing.assert_close(mine, other)


def test_a_weight_near_zero_does_not_spoil_the_gradient_above_two():
    """The lighter key has a huge s; the true gradient is that of two keys, and moderate."""
    scores = torch.tensor([[0.0, -0.2499, -3.0]], requires_grad=True)
    weights = Entmax(5.0)(scores)
    assert 0 < weights[0, 1] < 2e-4
    (gradient,) = torch.autograd.grad(weights, scores, torch.tensor([[1.0, -2.0, 3.0]]))
    s = weights.detach().double() ** -3
    shared = s[0, 0] * s[0, 1] / (s[0, 0] + s[0, 1])  # s_0 (g_0 - mean) = shared (g_0 - g_1)
    target = torch.stack([3 * shared, -3 * shared, 0 * shared])
    torch.testing.assert_close(gradient[0].double(), target, rtol=1e-6, atol=0)


def test_gradients_of_broadcast_scores_are_summed():
    scores = torch.randn(5, 7, dtype=torch.float64, requires_grad=True)
    allowed = torch.rand(2, 3, 5, 7) < 0.6
    assert gradcheck(lambda x: sparsemax(x, allowed), scores)


def test_gradients_need_not_be_contiguous():
    scores = torch.randn(3, 5, 7, requires_grad=True)
    wanted = torch.randn(7, 5, 3).transpose(0, 2)
    for alpha in ALPHAS:
        first, second = (
            torch.autograd.grad(Entmax(alpha)(scores), scores, given)[0]
            for given in (wanted, wanted.contiguous())
        )
        torch.testing.assert_close(first, second)
        torch.autograd.grad(Entmax(alpha)(scores).sum(), scores)  # an expanded gradient


@pytest.mark.parametrize("alpha", [1.25, 1.5, 2.0, 3.0])
def test_vmap_is_a_loop(alpha):
    scores, allowed = torch.randn(5, 2, 3, 7), torch.rand(5, 3, 7) < 0.6

    def weights(x, mask):
        return Entmax(alpha)(x, mask)

    def gradient(x, mask):
        return torch.func.grad(lambda y: weights(y, mask).square().sum())(x)

    for function in (weights, gradient):
        both = torch.stack([function(x, m) for x, m in zip(scores, allowed, strict=True)])
        torch.testing.assert_close(torch.func.vmap(function)(scores, allowed), both)
        fixed = torch.stack([function(x, allowed[0]) for x in scores.unbind(1)])
        mapped = torch.func.vmap(function, in_dims=(1, None))(scores, allowed[0])
        torch.testing.assert_close(mapped, fixed)
    masks = torch.func.vmap(weights, in_dims=(None, 0))(scores[0], allowed)
    torch.testing.assert_close(masks, torch.stack([weights(scores[0], m) for m in allowed]))


@pytest.mark.parametrize("alpha", [1.25, 2.0, 3.0])
def test_many_gradients_at_once_are_a_loop(alpha):
    scores, wanted = torch.randn(3, 7, requires_grad=True), torch.randn(5, 3, 7)
    weights = Entmax(alpha)(scores)

    def gradient(given, **how):
        return torch.autograd.grad(weights, scores, given, retain_graph=True, **how)[0]

    loop = torch.stack([gradient(given) for given in wanted])
    torch.testing.assert_close(torch.func.vmap(gradient)(wanted), loop)
    torch.testing.assert_close(gradient(wanted, is_grads_batched=True), loop)


def test_jacobians_and_hessians_by_torch_func():
    scores = torch.randn(1, 5, dtype=torch.float64)
    for alpha in (1.25, 1.5, 2.0, 3.0):
        normaliser = Entmax(alpha)
        backwards = torch.func.jacrev(normaliser)(scores)
        torch.testing.assert_close(torch.func.jacfwd(normaliser)(scores), backwards)
        torch.testing.assert_close(
            torch.autograd.functional.jacobian(normaliser, scores, vectorize=True), backwards
        )

        def energy(x, normaliser=normaliser):
            return normaliser(x).pow(3).sum()

        torch.testing.assert_close(
            torch.func.hessian(energy)(scores),
            torch.autograd.functional.hessian(energy, scores),
        )


COMPILED = """
import torch
from regard.functional.normalisers import Entmax

for alpha in (1.25, 2.0):
    normaliser, allowed = Entmax(alpha), torch.rand(5, 7) < 0.7
    scores = torch.randn(3, 5, 7, requires_grad=True)
    plain = lambda x, mask: normaliser(2 * x, mask) + 1
    compiled = torch.compile(plain, fullgraph=True, backend="aot_eager")
    results = [function(scores, allowed) for function in (plain, compiled)]
    gradients = [torch.autograd.grad(y.square().sum(), scores)[0] for y in results]
    assert torch.equal(*results) and torch.equal(*gradients)
"""


@pytest.mark.slow
def test_compiles_into_one_graph(route):
    """In a process of its own, because the checkers of shapes cannot be compiled."""
    environment = os.environ | {"REGARD_NUMBA": str(int(route == "numba"))}
    subprocess.run([sys.executable, "-c", COMPILED], check=True, env=environment)
