"""The cosine with a sharpness that is learned."""

import pytest
import torch
from torch.autograd import gradcheck
from torch.testing import assert_close

from regard import attend, plan, weigh
from regard.errors import DtypeError, RangeError, ShapeError
from regard.functional.scores import Cosine, ScaledDot

SHAPES = [(), (1,), (3,), (2, 1, 5), (3, 5), (2, 1, 1)]


def vectors():
    return [torch.randn(2, 3, n, 4, dtype=torch.float64, requires_grad=True) for n in (5, 7, 7)]


def spread(scale):
    """β for scores (B, H, Q, K): per head if it has one axis, else per query."""
    return scale.view(-1, 1, 1) if scale.dim() == 1 else scale.unsqueeze(-1)


def cosine(query, key, scale):
    lengths = query.norm(dim=-1).unsqueeze(-1) * key.norm(dim=-1).unsqueeze(-2)
    return spread(scale) * (query @ key.mT) / lengths


@pytest.mark.parametrize("path", ["reference", "lower", "stream", "auto"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_learned_sharpness_has_its_gradient_on_every_path(shape, path):
    query, key, value = vectors()
    scale = (1 + torch.rand(shape, dtype=torch.float64)).requires_grad_()
    leaves = query, key, value, scale
    found = attend(query, key, value, score=Cosine(scale), path=path)
    expected = cosine(query, key, scale).softmax(-1) @ value
    assert_close(found, expected)
    found, expected = (torch.autograd.grad(x.square().sum(), leaves) for x in (found, expected))
    assert_close(found, expected)


def test_it_stays_fused():
    query, key, value = (torch.randn(2, 3, 5, 4) for _ in range(3))
    scale = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    assert plan(query, key, value, score=Cosine(scale)).path == "lower"
    assert plan(query, key, value, score=ScaledDot(scale[0])).path == "lower"


def test_some_heads_and_rows_have_their_own_sharpness():
    query, key, _ = vectors()
    heads, queries = torch.tensor([1.0, 2.0, 3.0]), 1 + torch.rand(3, 5)
    for scale in (heads, queries):
        everything = cosine(query, key, scale).softmax(-1)
        found = weigh(query, key, score=Cosine(scale), heads=[2, 0], rows=[3])
        assert_close(found, everything[:, [2, 0], 3:4])


def test_later_queries_have_their_own_sharpness():
    query, key, _ = vectors()
    scale = 1 + torch.rand(2, 1, 5).double()
    later = Cosine(scale).shifted(3)(query[..., 3:, :], key)
    assert_close(later, cosine(query, key, scale)[..., 3:, :])


def test_the_scale_of_a_dot_product_may_be_learned_too():
    query, key, value = vectors()
    scale = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
    for path in ("reference", "lower", "stream"):
        assert gradcheck(
            lambda scale, path=path: attend(query, key, value, score=ScaledDot(scale), path=path),
            scale,
        )


def test_what_does_not_fit_is_refused_in_one_sentence():
    query, key, value = vectors()
    with pytest.raises(ShapeError, match=r"\(heads,\) or \(\*batch, queries\).*got \(2,\)"):
        attend(query, key, value, score=Cosine(torch.ones(2)))
    with pytest.raises(ShapeError, match=r"got \(3, 4\)"):
        attend(query, key, value, score=Cosine(torch.ones(3, 4)))
    with pytest.raises(RangeError, match=r"positive scale, got -1.0 to 2.0; use softplus"):
        Cosine(torch.tensor([2.0, -1.0]))
    with pytest.raises(DtypeError, match="floating-point tensor"):
        Cosine(torch.tensor(2))
