"""Means with fading weights against loops, for any size of numbers and of segments."""

import pytest
import torch
from torch.autograd import gradcheck
from torch.testing import assert_close

from reference import special_attention as reference
from regard.functional import decay as decay_module
from regard.functional.decay import Sums, decayed_mean

RATES = {
    "decay": torch.tensor([0.1, 0.7, 2.0], dtype=torch.float64),
    "bonus": torch.tensor([0.5, -1.0, 3.0], dtype=torch.float64),
}


def drawn(length=11):
    """Keys and values (2, N, 3)."""
    return [torch.randn(2, length, 3, dtype=torch.float64) for _ in range(2)]


@pytest.mark.parametrize("segment", [1, 2, 4, 256])
def test_each_channel_equals_loops_however_the_sequence_is_cut(segment, monkeypatch):
    monkeypatch.setattr(decay_module, "SEGMENT", segment)
    key, value = drawn()
    found, _ = decayed_mean(key, value, **RATES)
    rates = list(zip(*(x.tolist() for x in RATES.values()), strict=True))
    for b in range(2):
        for a, (w, u) in enumerate(rates):
            column = key[b, :, a].tolist(), value[b, :, a].tolist()
            expected = torch.tensor(reference.fading_mean(*column, w, u), dtype=torch.float64)
            assert_close(found[b, :, a], expected, rtol=1e-11, atol=1e-12)


def test_what_was_before_can_be_passed_in_as_sums():
    key, value = drawn()
    whole, end = decayed_mean(key, value, **RATES)
    _, sums = decayed_mean(key[:, :4], value[:, :4], **RATES)
    rest, same = decayed_mean(key[:, 4:], value[:, 4:], sums=sums, **RATES)
    assert_close(rest, whole[:, 4:])
    assert_close(same, end)


def test_the_mean_has_the_gradient_of_finite_differences(monkeypatch):
    monkeypatch.setattr(decay_module, "SEGMENT", 4)
    allowed = torch.tensor([[False, True, True, False, True, True], [False] * 6])

    def mean(key, value, decay, bonus, *sums):
        made = Sums(*sums, torch.full((2, 3), 0.3, dtype=torch.float64))
        rates = {"decay": decay, "bonus": bonus}
        found, end = decayed_mean(key, value, sums=made, allowed=allowed, **rates)
        return found, end.numerator / end.denominator

    leaves = [*drawn(6), *(x.clone() for x in RATES.values())]
    leaves += [torch.randn(2, 3, dtype=torch.float64), torch.rand(2, 3, dtype=torch.float64) + 1]
    assert gradcheck(mean, [x.requires_grad_() for x in leaves], fast_mode=True)


@pytest.mark.parametrize("size", [300.0, 1e4])
def test_exponents_far_beyond_what_a_number_can_hold_stay_exact(size):
    keys = [size * (-1) ** i * (1 + i % 3) for i in range(9)]
    values = [float(i) for i in range(9)]
    expected = reference.fading_mean(keys, values, 0.3, 0.7)
    one = torch.ones(1, dtype=torch.float64)
    key, value = (torch.tensor(x, dtype=torch.float64).unsqueeze(-1) for x in (keys, values))
    key.requires_grad_()
    found, sums = decayed_mean(key, value, decay=0.3 * one, bonus=0.7 * one)
    assert_close(found.squeeze(-1), torch.tensor(expected, dtype=torch.float64))
    found.sum().backward()
    assert key.grad.isfinite().all()
    assert all(x.isfinite().all() for x in sums)


def test_a_long_sequence_in_half_precision_equals_loops():
    keys = [((i * 37) % 11) / 4 - 1 for i in range(200)]
    values = [((i * 53) % 7) - 3.0 for i in range(200)]
    expected = reference.fading_mean(keys, values, 0.01, -0.5)
    key, value = (torch.tensor(x).bfloat16().unsqueeze(-1) for x in (keys, values))
    rates = {"decay": torch.tensor([0.01]), "bonus": torch.tensor([-0.5])}
    found, _ = decayed_mean(key, value, **rates)
    assert found.dtype == torch.bfloat16
    assert_close(found.float().squeeze(-1), torch.tensor(expected), rtol=0, atol=0.01)


def test_what_is_kept_for_the_backward_pass_grows_with_the_length_and_no_faster(monkeypatch):
    monkeypatch.setattr(decay_module, "SEGMENT", 8)

    def kept(length):
        numbers = 0

        def count(x):
            nonlocal numbers
            numbers += x.numel()
            return x

        key, value = (x.requires_grad_() for x in drawn(length))
        with torch.autograd.graph.saved_tensors_hooks(count, lambda x: x):
            decayed_mean(key, value, **RATES)
        return numbers

    assert kept(160) < 2.1 * kept(80)


def test_a_huge_exponent_that_is_not_allowed_does_not_drown_the_others():
    key, value = drawn(6)
    allowed = torch.tensor([False, True, True, False, True, True]).expand(2, 6)
    bare, end = decayed_mean(key[:, allowed[0]], value[:, allowed[0]], **RATES)
    key[:, [0, 3]] = 1e4
    found, same = decayed_mean(key, value, allowed=allowed, **RATES)
    assert_close(found[:, allowed[0]], bare)
    assert_close(same.numerator / same.denominator, end.numerator / end.denominator)
