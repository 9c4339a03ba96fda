"""Attention over ragged sequences is torch's attention of each sequence alone."""

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention
from torch.testing import assert_close

from regard.kernels import threads
from regard.kernels.ragged import Heads, Ragged, Spans, attend_ragged

pytest.importorskip("numba")

SAID, READ = [4, 1, 6, 3], [2, 5, 7, 0]
WIDTH, SCALE = 3, 0.7


def spans(counts):
    counts = torch.tensor(counts)
    return Spans(counts.cumsum(0) - counts, counts)


def drawn(rows, columns, *, seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(rows, columns, generator=generator, dtype=torch.float64).requires_grad_()


def one_by_one(query, key, value, ragged):
    """Torch's attention for every sequence, heads apart."""
    found = []
    for b in range(len(ragged.queries.counts)):
        q, k, v = (
            x.narrow(0, int(at.starts[b]), int(at.counts[b])).unflatten(1, (-1, WIDTH))
            for x, at in ((query, ragged.queries), (key, ragged.keys), (value, ragged.keys))
        )
        groups = ragged.heads.query // ragged.heads.key
        k, v = (x.repeat_interleave(groups, dim=1) for x in (k, v))
        q, k, v = (x.transpose(0, 1) for x in (q, k, v))
        context = (
            scaled_dot_product_attention(q, k, v, is_causal=ragged.causal, scale=SCALE)
            if k.shape[1]
            else 0 * q
        )
        found.append(context.transpose(0, 1).flatten(1))
    return torch.cat(found)


@pytest.mark.parametrize("key_heads", [4, 2, 1])
@pytest.mark.parametrize("causal", [False, True], ids=["all", "causal"])
def test_self_attention_is_that_of_each_sequence(key_heads, causal):
    heads = Heads(4, key_heads, WIDTH)
    ragged = Ragged(spans(SAID), spans(SAID), heads, SCALE, causal)
    sizes = [4 * WIDTH, key_heads * WIDTH, key_heads * WIDTH]
    joint = drawn(sum(SAID), sum(sizes), seed=1)
    context = attend_ragged(joint, None, ragged)
    expected = one_by_one(*joint.split(sizes, dim=-1), ragged)
    assert_close(context, expected)
    came = drawn(*context.shape, seed=2).detach()
    (found,), (needed,) = (torch.autograd.grad(x, joint, came) for x in (context, expected))
    assert_close(found, needed)


@pytest.mark.parametrize("key_heads", [2, 1])
def test_cross_attention_is_that_of_each_sequence_and_zero_without_keys(key_heads):
    ragged = Ragged(spans(SAID), spans(READ), Heads(2, key_heads, WIDTH), SCALE, False)
    query = drawn(sum(SAID), 2 * WIDTH, seed=3)
    memory = drawn(sum(READ), 2 * key_heads * WIDTH, seed=4)
    context = attend_ragged(query, memory, ragged)
    expected = one_by_one(query, *memory.chunk(2, dim=-1), ragged)
    assert_close(context, expected)
    assert context[-SAID[-1] :].eq(0).all() and context[: -SAID[-1]].ne(0).all()
    came = drawn(*context.shape, seed=5).detach()
    found, needed = (torch.autograd.grad(x, (query, memory), came) for x in (context, expected))
    assert_close(found, needed)


@pytest.mark.parametrize("causal", [False, True], ids=["all", "causal"])
def test_gradients_are_those_of_finite_differences(causal):
    ragged = Ragged(spans([3, 2]), spans([2, 4]), Heads(2, 1, WIDTH), SCALE, causal)
    query, memory = drawn(5, 2 * WIDTH, seed=6), drawn(6, 2 * WIDTH, seed=7)
    assert torch.autograd.gradcheck(lambda *x: attend_ragged(*x, ragged), (query, memory))


@pytest.mark.parametrize("joint", [False, True], ids=["cross", "self"])
def test_second_derivatives_are_those_of_finite_differences(joint):
    read = [3, 2] if joint else [2, 4]
    ragged = Ragged(spans([3, 2]), spans(read), Heads(2, 1, WIDTH), SCALE, joint)
    query, memory = drawn(5, (4 if joint else 2) * WIDTH, seed=6), drawn(6, 2 * WIDTH, seed=7)
    leaves = (query,) if joint else (query, memory)
    assert torch.autograd.gradgradcheck(
        lambda query, memory=None: attend_ragged(query, memory, ragged), leaves, fast_mode=True
    )
    turned = query.detach().T.contiguous().T.requires_grad_()
    assert torch.autograd.gradgradcheck(
        lambda query: attend_ragged(query, None if joint else memory, ragged),
        (turned,),
        fast_mode=True,
    )


def test_rows_of_no_sequence_are_zero_and_learn_nothing():
    counts = torch.tensor([2, 3])
    apart = Spans(torch.tensor([0, 4]), counts)
    ragged = Ragged(apart, apart, Heads(1, 1, WIDTH), SCALE, False)
    joint = drawn(7, 3 * WIDTH, seed=8)
    context = attend_ragged(joint, None, ragged)
    context.sum().backward()
    for rows in (slice(2, 4),):
        assert context[rows].eq(0).all() and joint.grad[rows].eq(0).all()
    assert joint.grad[4:].ne(0).any()


def test_large_scores_neither_overflow_nor_vanish():
    ragged = Ragged(spans(SAID), spans(SAID), Heads(1, 1, WIDTH), SCALE, False)
    joint = (1e4 * drawn(sum(SAID), 3 * WIDTH, seed=9).detach()).requires_grad_()
    context = attend_ragged(joint, None, ragged)
    context.sum().backward()
    assert_close(context, one_by_one(*joint.chunk(3, dim=-1), ragged))
    assert joint.grad.isfinite().all()


def test_many_threads_give_the_numbers_of_one(monkeypatch):
    ragged = Ragged(spans(SAID), spans(SAID), Heads(2, 2, WIDTH), SCALE, True)
    joint = drawn(sum(SAID), 6 * WIDTH, seed=10)
    alone = attend_ragged(joint, None, ragged)
    (expected,) = torch.autograd.grad(alone.sum(), joint)
    monkeypatch.setattr(threads, "WORTH_A_THREAD", 1e-12)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 3)
    together = attend_ragged(joint, None, ragged)
    (found,) = torch.autograd.grad(together.sum(), joint)
    assert torch.equal(together, alone) and torch.equal(found, expected)
