"""Attention inside the machinery of torch: autocast, vmap, inference mode."""

import entmax as package
import pytest
import torch
from torch.autograd import forward_ad
from torch.func import grad, jvp, vmap
from torch.testing import assert_close

from regard import attend, masks, normalisers, scores, weigh

# torch loads its own forward derivatives so.
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script`:DeprecationWarning")

PATHS = ("auto", "reference", "stream", "lower")


def vectors(seed=0, leading=(2, 3), dtype=torch.float32):
    generator = torch.Generator().manual_seed(seed)
    sizes = ((5, 4), (7, 4), (7, 6))
    return [torch.randn(*leading, *size, generator=generator).to(dtype) for size in sizes]


# --- autocast -------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("mask", [None, masks.causal()], ids=repr)
def test_autocast_lowers_the_vectors_and_nothing_else(mask, path):
    query, key, value = vectors()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = attend(query, key, value, mask=mask, path=path)
    lowered = [x.bfloat16() for x in (query, key, value)]
    assert found.dtype == torch.bfloat16
    assert_close(found, attend(*lowered, mask=mask, path=path), rtol=0, atol=0)
    exact = attend(query.double(), key.double(), value.double(), mask=mask)
    assert_close(found.double(), exact, rtol=0.03, atol=0.03)


def test_autocast_does_not_depend_on_how_the_arguments_are_passed():
    query, key, value = vectors()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        by_position = attend(query, key, value)
        by_name = attend(query=query, key=key, value=value)
    assert by_name.dtype == by_position.dtype
    assert torch.equal(by_name, by_position)


@pytest.mark.parametrize("path", ["auto", "reference", "stream"])
def test_autocast_trains_float32_parameters_of_a_score(path):
    query, key, value = vectors()
    v, weight = torch.randn(9, requires_grad=True), torch.randn(9, 4, requires_grad=True)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        score = scores.Additive(v, weight, weight)
        context = attend(query.requires_grad_(), key, value, score=score, path=path)
    context.float().square().sum().backward()
    assert v.grad.dtype == weight.grad.dtype == query.grad.dtype == torch.float32
    assert v.grad.any()


def test_autocast_is_on_again_after_the_call():
    query, key, value = vectors()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        attend(query, key, value)
        assert torch.is_autocast_enabled("cpu")
        assert (query @ key.mT).dtype == torch.bfloat16


def test_autocast_leaves_float64_alone():
    query, key, value = vectors(dtype=torch.float64)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = attend(query, key, value)
        weights = weigh(query, key)
    assert found.dtype == weights.dtype == torch.float64
    assert_close(found, attend(query, key, value))


# --- vmap and friends -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "normalise", ["softmax", "relu", "sigmoid", "proportional", normalisers.TopK(2)], ids=str
)
@pytest.mark.parametrize(
    "score",
    [scores.ScaledDot(), scores.Cosine(), scores.Additive(torch.ones(4)), scores.Gaussian(2.0)],
    ids=lambda score: score.name,
)
def test_the_reference_can_be_mapped_over_a_batch(score, normalise):
    query, key, value = vectors()

    def one(query, key, value):
        return attend(query, key, value, score=score, normalise=normalise, path="reference")

    assert_close(vmap(one)(query, key, value), one(query, key, value))
    assert_close(
        vmap(one, in_dims=(0, None, None))(query, key[0], value[0]), one(query, key[0], value[0])
    )


@pytest.mark.parametrize(
    "mask", [masks.causal(), masks.window(1, 1), masks.padding([4, 7, 1])], ids=repr
)
def test_the_reference_can_be_mapped_with_a_mask(mask):
    query, key, value = vectors()

    def one(query, key, value):
        return attend(query, key, value, mask=mask, path="reference")

    expected = torch.stack([one(*row) for row in zip(query, key, value, strict=True)])
    assert_close(vmap(one)(query, key, value), expected)


def test_gradients_of_each_example_by_vmap_are_those_of_single_calls():
    query, key, value = vectors(dtype=torch.float64)

    def loss(query, key, value):
        return attend(query, key, value, mask=masks.causal(), path="reference").square().sum()

    together = vmap(grad(loss))(query, key, value)
    single = torch.stack([grad(loss)(*row) for row in zip(query, key, value, strict=True)])
    assert_close(together, single)


V = torch.linspace(-1, 1, 4, dtype=torch.float64)
ALONE = {
    "softmax": ({}, lambda q, k: (q @ k.mT / 2).softmax(-1)),
    "causal": (
        {"mask": masks.causal()},
        lambda q, k: (
            (q @ k.mT / 2).masked_fill(
                torch.ones(q.shape[-2], k.shape[-2]).triu(1).bool(), -torch.inf
            )
        ).softmax(-1),
    ),
    "window": (
        {"mask": masks.window(2, 1)},
        lambda q, k: (
            (q @ k.mT / 2).masked_fill(
                ~torch.ones(q.shape[-2], k.shape[-2]).tril(1).triu(-2).bool(), -torch.inf
            )
        ).softmax(-1),
    ),
    "additive": (
        {"score": scores.Additive(V)},
        lambda q, k: (torch.tanh(q.unsqueeze(-2) + k.unsqueeze(-3)) @ V).softmax(-1),
    ),
    "euclidean": (
        {"score": scores.Euclidean()},
        lambda q, k: (-(q.unsqueeze(-2) - k.unsqueeze(-3)).square().sum(-1)).softmax(-1),
    ),
    "sigmoid": ({"normalise": "sigmoid"}, lambda q, k: (q @ k.mT / 2).sigmoid()),
    "sparsemax": (
        {"normalise": "sparsemax"},
        lambda q, k: package.sparsemax(q @ k.mT / 2, dim=-1),
    ),
}
"""Choices beside the weights they give, written with torch alone."""


@pytest.mark.parametrize("length", [5, 7, 500])  # the last leaves the reference
@pytest.mark.parametrize("name", ALONE)
def test_torch_func_and_forward_derivatives_see_through_every_path(name, length):
    generator = torch.Generator().manual_seed(length)
    x, t = torch.randn(2, 3, 2, length, 4, dtype=torch.float64, generator=generator)
    choices, weights = ALONE[name]
    leaves = [each.clone().requires_grad_() for each in x]
    expected = weights(*leaves[:2]) @ leaves[2]
    gradients = torch.autograd.grad(expected.square().sum(), leaves, create_graph=True)
    # The derivative along t, by the gradient of a gradient.
    along = torch.zeros_like(expected, requires_grad=True)
    pulled = torch.autograd.grad(expected, leaves, along, create_graph=True)
    (forwards,) = torch.autograd.grad(pulled, along, tuple(t))
    for path in ("auto", "stream") if length < 500 else ("auto",):

        def attention(*vectors, path=path):
            return attend(*vectors, path=path, **choices)

        def loss(*vectors, attention=attention):
            return attention(*vectors).square().sum()

        assert_close(vmap(attention)(*x), expected)
        assert_close(grad(loss, argnums=(0, 1, 2))(*x), gradients)
        assert_close(vmap(grad(loss, argnums=(0, 1, 2)))(*x), gradients)
        assert_close(jvp(attention, tuple(x), tuple(t)), (expected, forwards))
    with forward_ad.dual_level():
        duals = [forward_ad.make_dual(one, two) for one, two in zip(x, t, strict=True)]
        assert_close(forward_ad.unpack_dual(attend(*duals, **choices)).tangent, forwards)


@pytest.mark.parametrize("path", PATHS)
def test_inference_mode_and_no_grad_give_the_same_numbers(path):
    leaves = [x.requires_grad_() for x in vectors()]
    expected = attend(*leaves, path=path)
    with torch.no_grad():
        without = attend(*leaves, path=path)
    with torch.inference_mode():
        inference = attend(*leaves, path=path)
    assert not without.requires_grad
    assert_close(without, expected.detach())
    assert_close(inference, without)


@pytest.mark.parametrize("path", PATHS)
def test_strides_and_views_do_not_matter(path):
    query, key, value = vectors()
    moved = [x.transpose(0, 2).contiguous().transpose(0, 2) for x in (query, key, value)]
    wide = [torch.cat([x, x], dim=-1)[..., : x.shape[-1]] for x in (query, key, value)]
    expected = attend(query, key, value, path=path)
    assert_close(attend(*moved, path=path), expected)
    assert_close(attend(*wide, path=path), expected)


@pytest.mark.parametrize("path", ["reference", "stream", "lower"])
@pytest.mark.parametrize("wanted", [(0,), (1,), (2,), (0, 2)])
def test_only_the_gradients_that_are_wanted_are_computed(wanted, path):
    tensors = vectors(dtype=torch.float64)
    everything = [x.clone().requires_grad_() for x in tensors]
    attend(*everything, path=path).square().sum().backward()
    some = [x.clone().requires_grad_(i in wanted) for i, x in enumerate(tensors)]
    attend(*some, path=path).square().sum().backward()
    for i, (x, y) in enumerate(zip(some, everything, strict=True)):
        if i in wanted:
            assert_close(x.grad, y.grad)
        else:
            assert x.grad is None
