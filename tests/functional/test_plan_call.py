"""Plans are remembered: the same numbers, and nothing kept alive."""

import gc
import weakref

import pytest
import torch

from regard import attend, masks, scores
from regard.errors import ShapeError
from regard.functional.engine import plan as plan_call_module


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    known = {}
    monkeypatch.setattr(plan_call_module, "_known", known)
    return known


def vectors(queries: int = 3, keys: int = 5, width: int = 7) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    sizes = (queries, width), (keys, width), (keys, 2)
    return [torch.randn(2, *size, generator=generator) for size in sizes]


def test_a_second_call_of_a_kind_is_recognised_and_equal(fresh):
    q, k, v = vectors()
    first = attend(q, k, v, mask="causal")
    assert len(fresh) == 1
    assert torch.equal(attend(q, k, v, mask=masks.causal()), first)
    assert len(fresh) == 1


def test_what_asks_for_gradients_is_another_kind(fresh):
    q, k, v = vectors()
    attend(q, k, v)
    attend(q.requires_grad_(), k, v).sum().backward()
    assert len(fresh) == 2
    assert q.grad is not None


def test_another_length_of_the_values_is_still_refused():
    q, k, v = vectors()
    attend(q, k, v)
    with pytest.raises(ShapeError, match="one value per key"):
        attend(q, k, v[:, 1:])


def test_two_masks_of_one_shape_are_told_apart():
    q, k, v = vectors()
    every = attend(q, k, v, mask=masks.padding([5, 5]))
    fewer = attend(q, k, v, mask=masks.padding([5, 3]))
    assert torch.equal(every[0], fewer[0])
    assert not torch.allclose(every[1], fewer[1])
    assert torch.allclose(fewer[1], attend(q, k[:, :3], v[:, :3])[1])


def test_a_mask_is_not_kept_alive():
    q, k, v = vectors()
    mask = masks.padding([5, 3])
    attend(q, k, v, mask=mask)
    watched = weakref.ref(mask)
    del mask
    gc.collect()
    assert watched() is None


def test_what_is_remembered_is_bounded(fresh, monkeypatch):
    monkeypatch.setattr(plan_call_module, "MOST", 3)
    for queries in range(1, 9):
        attend(*vectors(queries))
    assert len(fresh) <= 3


def heads(width: int = 7) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    sizes = (3, width), (5, width), (5, width)
    return [torch.randn(2, 3, *size, generator=generator) for size in sizes]


AT_ONCE = {
    "plain": None,
    "causal": masks.causal(),
    "padded": masks.padding([3, 5]),
    "cut": masks.padding([3, 4]),
    "empty": masks.padding([0, 4]),
    "all": masks.padding([5, 5]),
}
at_once = pytest.mark.parametrize("mask", AT_ONCE.values(), ids=AT_ONCE)


@at_once
def test_what_the_kernel_takes_as_it_is_goes_to_it_at_once(mask, fresh):
    q, k, v = heads()
    expected = attend(q, k, v, mask=mask, path="reference")
    first, second = (attend(q, k, v, mask=mask) for _ in range(2))
    assert [kind.factor for kind in fresh.values()] == [None, 7**-0.5]
    assert torch.equal(first, second)
    assert torch.allclose(second, expected, atol=1e-6)


@pytest.mark.filterwarnings("ignore:`torch.jit.script`:DeprecationWarning")
@at_once
def test_what_is_known_is_differentiated_forward_all_the_same(mask):
    q, k, v = heads()
    attend(q, k, v, mask=mask)
    found = torch.func.jvp(lambda x: attend(x, k, v, mask=mask), (q,), (torch.ones_like(q),))[1]
    step = 1e-3
    above, below = (
        attend(q.double() + by, k.double(), v.double(), mask=mask, path="reference")
        for by in (step, -step)
    )
    assert torch.allclose(found.double(), (above - below) / (2 * step), atol=1e-5)


@pytest.mark.parametrize("junk", [float("nan"), float("inf"), -float("inf"), 1e38])
@pytest.mark.parametrize("mask", ["causal", "padded", "cut", "empty"])
def test_what_is_known_is_still_blind_to_what_it_may_not_see(mask, junk):
    q, k, v = heads()
    expected = attend(q, k, v, mask=AT_ONCE[mask])
    v[0, :, 3:] = k[0, :, 3:] = junk
    assert torch.equal(attend(q, k, v, mask=AT_ONCE[mask]), expected)


@pytest.mark.parametrize("score", ["general", "cosine", "euclidean"])
def test_no_other_score_is_taken_for_a_plain_product(score):
    weight = torch.randn(7, 7, generator=torch.Generator().manual_seed(1))
    value = {"general": scores.General(weight)}.get(score) or scores.named[score]
    assert value.plain_factor(7) is None
    assert scores.ScaledDot(torch.tensor(0.3)).plain_factor(7) is None
    assert (value + scores.Alibi(3)).plain_factor(7) is None


def test_the_bias_of_a_padding_follows_the_question():
    mask = masks.padding([1, 3])
    like = torch.zeros(2)
    assert mask.bias(3, 4, like).shape == (2, 1, 1, 3)
    assert mask.bias(5, 3, like.double()).dtype == torch.float64
    inf = float("inf")
    assert mask.bias(3, 3, like).tolist() == [[[0, -inf, -inf]], [[0, 0, 0]]]
