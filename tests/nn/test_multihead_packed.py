"""Attention on rows without padding is the module's own on the padded batch."""

import pytest
import torch
from torch.testing import assert_close

from regard.functional import normalisers, scores
from regard.kernels.available import without_numba
from regard.kernels.ragged import Spans
from regard.nn import MultiHeadAttention
from regard.nn.multihead.packed import LONGEST, attend_packed, packs
from regard.positions import Rotary

pytest.importorskip("numba")

SAID, READ, WIDTH, HEADS = torch.tensor([4, 1, 6]), torch.tensor([2, 5, 7]), 12, 4


def spans(counts):
    return Spans(counts.cumsum(0) - counts, counts)


def padded(counts, *, seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(3, int(counts.max()), WIDTH, generator=generator, dtype=torch.float64)


def inside(counts):
    return torch.arange(int(counts.max())) < counts.unsqueeze(-1)


def made(**changes):
    torch.manual_seed(0)
    return MultiHeadAttention(WIDTH, HEADS, **changes).double()


@pytest.mark.parametrize("key_heads", [HEADS, 2])
@pytest.mark.parametrize("mask", [None, "causal"])
def test_self_attention_has_the_numbers_of_the_padded_batch(key_heads, mask):
    attention, x = made(num_key_heads=key_heads, mask=mask), padded(SAID, seed=1)
    tokens = inside(SAID)
    expected = attention(x, mask=SAID)[tokens]
    expected.sin().sum().backward()
    needed = [parameter.grad.clone() for parameter in attention.parameters()]
    attention.zero_grad()
    found = attend_packed(attention, x[tokens], spans(SAID))
    found.sin().sum().backward()
    assert_close(found, expected)
    assert_close([parameter.grad for parameter in attention.parameters()], needed)


def test_cross_attention_has_the_numbers_of_the_padded_batch():
    attention, x, memory = made(), padded(SAID, seed=2), padded(READ, seed=3)
    expected = attention(x, memory, mask=READ)[inside(SAID)]
    rows, keys = x[inside(SAID)], memory[inside(READ)]
    found = attend_packed(attention, rows, spans(SAID), keys, spans(READ))
    assert_close(found, expected)


@pytest.mark.parametrize(
    "changes",
    [{}, {"score": scores.ScaledDot(), "normalise": normalisers.softmax}, {"mask": "causal"}],
    ids=["plain", "values", "causal"],
)
def test_plain_attention_packs(changes):
    assert packs(made(**changes), padded(SAID, seed=4), LONGEST)


@pytest.mark.parametrize(
    "changes",
    [
        {"score": "dot"},
        {"score": scores.ScaledDot(scale=0.5)},
        {"normalise": "sparsemax"},
        {"mask": torch.ones(6, 6, dtype=torch.bool)},
        {"position": Rotary(2), "head_dim": 2},
        {"dropout": 0.1},
        {"key_dim": 5},
    ],
    ids=["score", "scale", "normaliser", "mask", "position", "dropout", "widths"],
)
def test_any_other_attention_does_not(changes):
    assert not packs(made(**changes), padded(SAID, seed=4), LONGEST)


def test_dropout_matters_in_training_only():
    assert packs(made(dropout=0.1).eval(), padded(SAID, seed=4), LONGEST)


def test_it_does_not_pack_where_it_cannot_run_or_is_not_worth_it():
    attention, x = made(), padded(SAID, seed=5)
    assert not packs(attention, x, LONGEST + 1)
    assert not packs(attention, x.float(), LONGEST)
    assert not packs(made().bfloat16(), x.bfloat16(), LONGEST)
    with without_numba():
        assert not packs(attention, x, LONGEST)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert not packs(attention, x, LONGEST)


def test_who_listens_to_the_module_is_not_passed_over():
    watched, hooked, attentive = made(), made(), made()
    watched.watchers.append(lambda look: None)
    hooked.register_forward_hook(lambda *call: None)
    attentive.register_full_backward_hook(lambda *call: None)
    for attention in (watched, hooked, attentive):
        assert not packs(attention, padded(SAID, seed=6), LONGEST)
