"""Entmax with alpha as a tensor: the weights of fixed alphas, and the gradient of alpha."""

import entmax as package
import pytest
import torch
from torch.autograd import gradcheck, gradgradcheck
from torch.func import grad, vmap
from torch.testing import assert_close

from regard import attend, weigh
from regard.errors import DtypeError, RangeError, ShapeError
from regard.functional.normalisers import Entmax, softmax
from regard.kernels.available import without_numba

# torch loads its own forward derivatives so.
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script`:DeprecationWarning")


@pytest.fixture(params=["numba", "eager"])
def route(request):
    """By compiled rows and by tensor operations."""
    if request.param == "numba":
        pytest.importorskip("numba")
        yield request.param
    else:
        with without_numba():
            yield request.param


def double(*values):
    return torch.tensor(values[0] if len(values) == 1 else values, dtype=torch.float64)


def masked_case():
    """Scores (2, 3, 5, 7), one row of them with no allowed key, one with a single one."""
    scores = torch.randn(2, 3, 5, 7, dtype=torch.float64)
    allowed = torch.rand(2, 3, 5, 7) < 0.7
    allowed[1, 2, 0] = False
    allowed[0, 1, 3] = torch.arange(7) == 4
    return scores, allowed


@pytest.mark.parametrize("alpha", [1.001, 1.3, 1.5, 2.0, 2.6])
def test_weights_and_gradients_are_those_of_the_entmax_package(alpha, route):
    scores, wanted = torch.randn(2, 3, 5, 7).double().requires_grad_(), torch.randn(2, 3, 5, 7)
    ours, theirs = double(alpha).requires_grad_(), double(alpha).requires_grad_()
    found = Entmax(ours)(scores)
    expected = package.entmax_bisect(scores, theirs, dim=-1, n_iter=100)
    assert_close(found, expected)
    found = torch.autograd.grad((found * wanted).sum(), (scores, ours))
    expected = torch.autograd.grad((expected * wanted).sum(), (scores, theirs))
    assert_close(found, expected)


def test_each_head_has_the_weights_and_gradients_of_its_own_alpha(route):
    scores, wanted = torch.randn(2, 3, 5, 7).double().requires_grad_(), torch.randn(2, 3, 5, 7)
    ours = double(1.1, 1.5, 2.0).requires_grad_()
    theirs = ours.detach().clone().requires_grad_()
    found = Entmax(ours)(scores)
    expected = package.entmax_bisect(scores, theirs.view(3, 1, 1).expand(2, 3, 5, 1), n_iter=100)
    assert_close(found, expected)
    found = torch.autograd.grad((found * wanted).sum(), (scores, ours))
    assert_close(found, torch.autograd.grad((expected * wanted).sum(), (scores, theirs)))


@pytest.mark.parametrize("alpha", [(1.2,), (1.5,), (2.0,), (2.6,), (1.2, 2.0, 1.7)], ids=str)
def test_derivatives_are_those_of_finite_differences(alpha, route):
    scores, allowed = masked_case()
    leaves = scores.requires_grad_(), double(*alpha).requires_grad_()

    def weights(scores, alpha):
        return Entmax(alpha)(scores, allowed)

    once = {"check_forward_ad": True, "check_batched_grad": True}
    assert gradcheck(weights, leaves, fast_mode=True, **once)
    assert gradgradcheck(weights, leaves, fast_mode=True)


def test_at_one_it_is_the_softmax_with_the_derivative_of_the_limit():
    """Correia et al. 2019, proposition 1, second case, and finite differences from above."""
    scores, allowed = masked_case()
    alpha = double(1.0).requires_grad_()
    weights = Entmax(alpha)(scores, allowed)
    assert_close(weights, softmax(scores, allowed))
    wanted = torch.randn(2, 3, 5, 7).double()
    (found,) = torch.autograd.grad((weights * wanted).sum(), alpha)
    logs = weights.detach().masked_fill(weights == 0, 1).log()
    steep = -weights * logs.square()
    slope = (steep - weights * steep.sum(-1, keepdim=True)) / 2
    assert_close(found, (slope * wanted).sum().detach())
    above = [(Entmax(double(1 + h))(scores, allowed) * wanted).sum() for h in (0, 1e-4, 2e-4)]
    assert_close(found, (4 * above[1] - 3 * above[0] - above[2]) / 2e-4, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("above", [1e-12, 1e-9, 1e-6, 1e-4])
def test_towards_one_neither_weights_nor_gradients_lose_their_digits(above):
    scores, wanted = torch.randn(2, 3, 5, 7).double(), torch.randn(2, 3, 5, 7).double()
    near, at = double(1 + above).requires_grad_(), double(1.0).requires_grad_()
    found, limit = (Entmax(alpha)(scores) for alpha in (near, at))
    assert_close(found, limit, rtol=0, atol=20 * above + 1e-9)
    (found,) = torch.autograd.grad((found * wanted).sum(), near)
    (limit,) = torch.autograd.grad((limit * wanted).sum(), at)
    assert_close(found, limit, rtol=0, atol=1000 * above + 1e-6)


def test_masked_keys_and_empty_rows_have_no_part_in_the_gradient():
    scores, allowed = masked_case()
    alpha = double(1.2, 1.5, 2.0).requires_grad_()
    weights = Entmax(alpha)(scores.requires_grad_(), allowed)
    assert not weights[~allowed].any() and not weights[1, 2, 0].any()
    wanted = torch.randn(2, 3, 5, 7).double().masked_fill(~allowed, torch.inf)
    weights.backward(wanted)
    assert scores.grad.isfinite().all() and alpha.grad.isfinite().all()
    assert not scores.grad[~allowed].any()


@pytest.mark.parametrize("heads", [(), (3,)], ids=str)
@pytest.mark.parametrize("path", ["reference", "stream"])
def test_alpha_is_learned_on_every_path(path, heads, small_blocks, route):
    query, key, value = (torch.randn(2, 3, n, 4).double() for n in (5, 7, 7))
    alpha = torch.full(heads, 1.4).double().requires_grad_()
    allowed = torch.rand(5, 7) < 0.6
    allowed[2] = False
    context = attend(query, key, value, mask=allowed, normalise=Entmax(alpha), path=path)
    (found,) = torch.autograd.grad(context.square().sum(), alpha)
    barred = (query @ key.mT / 2).masked_fill(~allowed, -1e4)[..., [0, 1, 3, 4], :]
    twin = alpha.detach().clone().requires_grad_()
    each = (twin.view(-1, 1, 1) if heads else twin).expand(2, 3, 4, 1)
    weights = package.entmax_bisect(barred, each, dim=-1, n_iter=100)
    (expected,) = torch.autograd.grad((weights @ value).square().sum(), twin)
    assert_close(found, expected)


def test_some_heads_have_their_own_alphas():
    query, key = torch.randn(2, 3, 5, 4), torch.randn(2, 3, 7, 4)
    alphas = torch.tensor([1.1, 1.5, 2.0])
    everything = weigh(query, key, normalise=Entmax(alphas))
    assert_close(weigh(query, key, normalise=Entmax(alphas), heads=[2, 0]), everything[:, [2, 0]])
    assert_close(everything[:, 1], weigh(query[:, 1], key[:, 1], normalise="entmax15"))


def test_torch_func_sees_alpha():
    scores = torch.randn(4, 5, 7).double()
    alphas = double(1.2, 1.5, 2.0, 1.7)

    def loss(scores, alpha):
        return Entmax(alpha)(scores).square().sum()

    together = vmap(grad(loss, argnums=1))(scores, alphas)
    for row, alpha, found in zip(scores, alphas, together, strict=True):
        leaf = alpha.clone().requires_grad_()
        assert_close(found, torch.autograd.grad(loss(row, leaf), leaf)[0])


def test_alpha_is_refused_in_one_sentence_where_it_does_not_fit():
    query = torch.randn(2, 3, 5, 4)
    with pytest.raises(RangeError, match=r"alphas of at least 1, got 0.5 to 2.0; learn a"):
        Entmax(torch.tensor([0.5, 2.0]))
    with pytest.raises(RangeError, match="finite alphas"):
        Entmax(torch.tensor(torch.nan))
    with pytest.raises(DtypeError, match="floating-point tensor"):
        Entmax(torch.tensor(2))
    with pytest.raises(ShapeError, match=r"shape \(\) or \(H,\)"):
        Entmax(torch.ones(2, 3))
    with pytest.raises(ShapeError, match="each of 3 heads"):
        attend(query, query, query, normalise=Entmax(torch.tensor([1.2, 1.5])))


def test_values_with_a_learned_alpha_are_told_apart_without_comparing_tensors():
    alpha = torch.tensor([1.2, 1.5])
    one = Entmax(alpha)
    assert one == one and one != Entmax(alpha) and one != Entmax(1.2)
    assert Entmax(1.2) == Entmax(1.2) != Entmax(1.3)
    assert repr(one) == "Entmax(alpha=Tensor(2,))"
