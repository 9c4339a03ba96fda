"""No answer is for tensors that are no longer there: changed in place, past torch, or freed."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from regard import attend, masks, nn, normalisers, scores, weigh
from regard.errors import RegardError
from regard.functional.engine import plan as plan_call_module
from regard.functional.forms import Looks, Tile
from regard.functional.forms import tanh as tanh_pairing
from regard.kernels.available import numba_available
from regard.lens import capture

PATHS = ("reference", "stream", "lower", "auto")


def in_place(tensor, other):
    tensor.copy_(other)


def by_numpy(tensor, other):
    tensor.detach().numpy()[...] = other.numpy()


def by_data(tensor, other):
    tensor.data.copy_(other)


def by_dlpack(tensor, other):
    np.from_dlpack(tensor.detach())[...] = other.numpy()


WRITES = (in_place, by_numpy, by_data, by_dlpack)


def vectors(*leading, queries=6, keys=6, seed=0):
    generator = torch.Generator().manual_seed(seed)
    sizes = (queries, 4), (keys, 4), (keys, 3)
    return [torch.randn(*leading, *size, generator=generator) for size in sizes]


MADE = {
    "padding": (masks.padding, torch.tensor([2, 5]), torch.tensor([6, 1])),
    "prefix": (masks.prefix, torch.tensor([1, 3]), torch.tensor([6, 0])),
    "document": (
        masks.document,
        torch.tensor([[0, 0, 1, 1, 1, 2], [3, 3, 3, 4, 4, 4]]),
        torch.tensor([[7, 8, 8, 8, 9, 9], [0, 1, 1, 2, 2, 2]]),
    ),
    "blocks": (
        lambda layout: masks.blocks(2, layout),
        torch.tensor([[1, 0, 0], [1, 1, 0], [0, 1, 1]]).bool(),
        torch.tensor([[0, 1, 1], [0, 0, 1], [1, 0, 0]]).bool(),
    ),
    "global_tokens": (masks.global_tokens, torch.tensor([1, 4]), torch.tensor([0, 2])),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("name", MADE)
def test_a_mask_is_what_it_was_made_from(name, write, small_blocks):
    make, given, other = MADE[name]
    given = given.clone()
    mask = make(given)
    table = mask.allowed(Tile(range(6), range(6), torch.device("cpu")), 3).clone()
    query, key, value = vectors(2)
    expected = attend(query, key, value, mask=table, path="reference")
    for turn in range(2):  # before and after
        for path in PATHS[: 4 if name == "padding" else 2]:
            assert_close(attend(query, key, value, mask=mask, path=path), expected)
            assert_close(weigh(query, key, mask=mask), weigh(query, key, mask=table))
        if not turn:
            write(given, other)


@pytest.mark.parametrize("normalise", ["sparsemax", "sigmoid", "softmax"])
@pytest.mark.parametrize("path", ["reference", "stream", "lower"])
def test_a_tensor_of_pairs_changed_before_the_backward_pass_never_passes(
    path, normalise, small_blocks
):
    if path == "lower" and normalise != "softmax":
        pytest.skip("the fused kernel is for softmax")
    allowed = torch.rand(6, 6) > 0.5
    query, key, value = (x.requires_grad_() for x in vectors(2))
    expected = torch.autograd.grad(
        attend(query, key, value, mask=allowed.clone(), normalise=normalise, path=path).sum(), key
    )
    context = attend(query, key, value, mask=allowed, normalise=normalise, path=path)
    allowed.fill_(False)
    allowed[:, 0] = True
    try:
        found = torch.autograd.grad(context.sum(), key)
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error)
        assert path == "stream"
    else:
        assert_close(found, expected)
        assert path != "stream"


def test_a_score_chosen_by_a_tensor_of_pairs_is_guarded_too(small_blocks):
    chosen = torch.rand(6, 6) > 0.5
    score = scores.ByMask(masks.dense(chosen), scores.Dot(), scores.Euclidean())
    query, key, value = (x.requires_grad_() for x in vectors(2))
    context = attend(query, key, value, score=score, path="stream")
    chosen.logical_not_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        context.sum().backward()


@pytest.mark.parametrize("what", ["mask", "key"])
def test_a_function_as_score_is_guarded_too(what, small_blocks):
    scale = torch.tensor(0.5, requires_grad=True)
    query, key, value = vectors(2)
    allowed = torch.rand(6, 6) > 0.5
    context = attend(
        query, key, value, score=lambda q, k: scale * q @ k.mT, mask=allowed, path="stream"
    )
    {"mask": allowed, "key": key}[what].zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        context.sum().backward()


@pytest.mark.parametrize("write", WRITES)
def test_additive_scores_are_those_of_the_keys_there_are(write, monkeypatch):
    monkeypatch.setattr(tanh_pairing, "LITTLE_COMPILED", 0)
    query, key, value = vectors(2, queries=1)
    score = scores.Additive(torch.randn(4))
    for seed in range(4):
        write(key, vectors(2, seed=seed)[1])
        hidden = torch.tanh(query.unsqueeze(-2) + key.unsqueeze(-3))
        expected = (hidden @ score.v).softmax(-1)
        assert_close(weigh(query, key, score=score), expected)
        for path in ("auto", "stream", "reference"):
            assert_close(attend(query, key, value, score=score, path=path), expected @ value)


@pytest.mark.parametrize("write", WRITES)
def test_a_memory_does_not_follow_what_it_was_prepared_from(write, monkeypatch):
    monkeypatch.setattr(tanh_pairing, "LITTLE_COMPILED", 0)
    attention = nn.BahdanauAttention(3, 4, 5)
    _, keys, values = vectors(2)
    lengths, state = torch.tensor([2, 5]), torch.randn(2, 3)
    allowed = torch.arange(6) < lengths.unsqueeze(-1)
    for mask in (lengths, allowed):
        memory = attention.prepare(keys, mask, values=values)
        (_, expected), changed = attention(state, memory), mask.clone()
        write(keys, vectors(2, seed=5)[1])
        write(mask, torch.ones_like(mask))
        for _ in range(3):
            assert_close(attention(state, memory)[1], expected)
        fresh = attention.prepare(keys, changed, values=values)
        hidden = torch.tanh(attention.query_proj(state).unsqueeze(1) + attention.key_proj(keys))
        wanted = (hidden @ attention.v).masked_fill(~allowed_of(changed), -torch.inf).softmax(-1)
        for _ in range(3):
            assert_close(attention(state, fresh)[1], wanted)
        write(mask, changed)


def allowed_of(mask):
    return mask if mask.dtype == torch.bool else torch.arange(6) < mask.unsqueeze(-1)


@pytest.mark.parametrize("write", WRITES)
def test_what_was_captured_and_written_over_since_is_refused(write):
    query, key, _ = vectors(2)
    module = nn.SelfAttention(4)
    with capture(module) as record:
        module.attend(query, key, key, normalise=normalisers.Entmax(1.5))
        module.attend(query, query, query, score=scores.Cosine(2.0))
    for tensor in (query, key):
        write(tensor, torch.full_like(tensor, 2.0))
    for look in record[""].looks:
        with pytest.raises(RegardError, match=r"written over|unverified"):
            look.weigh()


def test_a_mask_at_the_address_of_a_freed_one_is_another_mask():
    query, key, value = vectors(1)
    lengths, addresses = {}, {}
    for turn in range(100):
        length = 1 + turn * turn % 5
        mask = masks.padding([length])
        addresses.setdefault(id(mask), set()).add(length)
        if length not in lengths:
            lengths[length] = attend(query, key[:, :length], value[:, :length])
        assert_close(attend(query, key, value, mask=mask), lengths[length])
        del mask
    assert any(len(found) > 1 for found in addresses.values()), "no address was used twice"


def test_a_mask_asked_from_two_sides_answers_each():
    """As when two threads share a mask: what was asked in between must not come back."""
    mask = masks.padding([2, 3])

    class Meddling(int):
        """A number of keys that, when it is compared, lets another question in."""

        def __eq__(self, other):
            mask.bias(3, 3, torch.zeros(1))
            return int(other) == 5

        __hash__ = int.__hash__

    mask.bias(5, 3, torch.zeros(1))
    assert mask.bias(Meddling(5), 3, torch.zeros(1)).shape[-1] == 5


def test_plans_are_right_in_threads_that_forget_each_others(monkeypatch):
    monkeypatch.setattr(plan_call_module, "MOST", 2)  # nearly every call clears what all remember
    calls = []
    for length in range(1, 7):
        query, key, value = vectors(1, keys=length)
        for mask in (None, masks.causal(), masks.padding([length])):
            expected = attend(query, key, value, mask=mask, path="reference")
            calls.append((query, key, value, mask, expected))

    def run(turn):
        query, key, value, mask, expected = calls[turn % len(calls)]
        return attend(query, key, value, mask=mask), expected

    with ThreadPoolExecutor(4) as pool:
        for found, expected in pool.map(run, range(400)):
            assert_close(found, expected)


def test_a_plan_does_not_outlive_a_change_of_mode():
    query, key, value = (torch.randn(1, 2, 64, 4) for _ in range(3))
    first = attend(query, key, value)
    value.requires_grad_()
    assert attend(query, key, value).requires_grad
    with torch.no_grad():
        assert not attend(query, key, value).requires_grad
    value.requires_grad_(False)
    value.mul_(2)
    assert_close(attend(query, key, value), 2 * first)


def test_the_bias_of_a_padding_is_right_in_threads():
    lengths = [2, 3]
    mask = masks.padding(lengths)

    def run(turn):
        keys, dtype = 3 + turn % 5, (torch.float32, torch.float64)[turn % 2]
        bias = mask.bias(keys, 2 + turn % 3, torch.zeros(1, dtype=dtype))
        return bias, keys, dtype

    with ThreadPoolExecutor(4) as pool:
        for bias, keys, dtype in pool.map(run, range(600)):
            assert bias.dtype == dtype
            wanted = [[0.0] * n + [-torch.inf] * (keys - n) for n in lengths]
            assert bias.view(-1, keys)[: len(lengths)].tolist() == wanted


def test_a_bias_made_in_inference_mode_is_not_kept():
    mask = masks.padding([2, 5])
    query, key, value = vectors(2)
    with torch.inference_mode():
        expected = attend(query, key, value, mask=mask, path="lower").clone()
    query.requires_grad_()
    context = attend(query, key, value, mask=mask, path="lower")
    assert_close(context, expected)
    context.sum().backward()
    assert query.grad.isfinite().all()


@pytest.mark.skipif(not numba_available(), reason="nothing is kept without numba")
def test_keys_at_the_address_of_freed_ones_are_other_keys(monkeypatch):
    monkeypatch.setattr(tanh_pairing, "LITTLE_COMPILED", 0)
    query, weight, looks, addresses = torch.randn(1, 4), torch.randn(4), Looks(), set()
    reused = 0
    for seed in range(40):
        key = vectors(queries=1, seed=seed)[1]
        reused += key.data_ptr() in addresses
        addresses.add(key.data_ptr())
        expected = torch.tanh(query.unsqueeze(-2) + key.unsqueeze(-3)) @ weight
        for _ in range(3):
            found = tanh_pairing.tanh_pairing(query, key, weight, looks=looks)
            assert_close(found, expected)
        del key, found, expected
    assert reused, "no address was used twice"


@pytest.mark.skipif(not numba_available(), reason="nothing is kept without numba")
def test_threads_that_share_looks_get_the_scores_of_their_own_keys(monkeypatch):
    monkeypatch.setattr(tanh_pairing, "LITTLE_COMPILED", 0)
    query, weight, looks = torch.randn(1, 4), torch.randn(4), Looks()
    keys = [vectors(queries=1, seed=seed)[1] for seed in range(3)]
    wanted = [torch.tanh(query.unsqueeze(-2) + key.unsqueeze(-3)) @ weight for key in keys]

    def run(turn):
        which = turn // 2 % len(keys)
        return tanh_pairing.tanh_pairing(query, keys[which], weight, looks=looks), which

    with ThreadPoolExecutor(4) as pool:
        for found, which in pool.map(run, range(300)):
            assert_close(found, wanted[which])
