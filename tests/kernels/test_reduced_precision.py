"""Products with factors of 16 bits: what is rounded, what is not, and when it ends."""

from pathlib import Path

import pytest
import torch
from torch.testing import assert_close

from regard import plan
from regard.kernels.reduced_precision import (
    bfloat16_products,
    multiplies_bfloat16,
    products_are_reduced,
)

CPU = torch.device("cpu")
here = pytest.mark.skipif(not multiplies_bfloat16(CPU), reason="a CPU without units for bfloat16")


@pytest.fixture
def x86(monkeypatch):
    """A CPU of Intel's kind with AVX-512 and none of the units, whatever this one is."""
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.setattr("regard.kernels.reduced_precision._takes_bfloat16", lambda: True)
    for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported"):
        monkeypatch.setattr(torch.cpu, name, lambda: False, raising=False)
    return monkeypatch


def test_avx_512_alone_is_no_unit_for_bfloat16(x86):
    assert not multiplies_bfloat16(CPU)


@pytest.mark.parametrize("unit", ["_is_avx512_bf16_supported", "_is_amx_tile_supported"])
def test_any_unit_of_x86_will_do_on_a_cpu_alone(x86, unit):
    x86.setattr(torch.cpu, unit, lambda: True)
    assert multiplies_bfloat16(CPU)
    assert not multiplies_bfloat16(torch.device("meta"))
    x86.setattr("regard.kernels.reduced_precision._takes_bfloat16", lambda: False)
    assert not multiplies_bfloat16(CPU)


def test_a_torch_that_knows_neither_unit_has_none(x86):
    for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported"):
        x86.delattr(torch.cpu, name)
    assert not multiplies_bfloat16(CPU)


def test_this_cpu_has_no_units_but_those_that_linux_says_it_has():
    try:
        flags = set(Path("/proc/cpuinfo").read_text().split())
    except OSError:
        pytest.skip("no /proc/cpuinfo")
    if "avx512f" not in flags:
        pytest.skip("another kind of CPU")
    rounds = torch.full((96, 96), 1 + 2**-10)
    with bfloat16_products():
        rounds = bool((rounds @ rounds == 96).all())
    assert multiplies_bfloat16(CPU) == (rounds and bool({"avx512_bf16", "amx_tile"} & flags))


def rounded(x):
    return x.bfloat16().float()


def large(*shape):
    """So large that torch hands it to the library that has the mode."""
    return torch.randn(*shape)


@here
def test_factors_are_rounded_and_sums_are_not_forward_and_backward():
    x, w, g = large(96, 160), large(160, 128), large(96, 128)
    x.requires_grad_()
    w.requires_grad_()
    with bfloat16_products():
        y = x @ w
        y.backward(g)
    assert y.dtype == x.grad.dtype == w.grad.dtype == torch.float32
    for found, left, right in ((y, x, w), (x.grad, g, w.T), (w.grad, x.T, g)):
        left, right = left.detach(), right.detach()
        exact = (left.double() @ right.double()).float()
        wanted = (rounded(left).double() @ rounded(right).double()).float()
        assert_close(found.detach(), wanted, rtol=1e-5, atol=1e-4)
        assert (found - exact).abs().max() > 1e-3


@here
def test_it_ends_with_the_block_whatever_happens():
    def product():
        return large(96, 160) @ large(160, 128)

    torch.manual_seed(1)
    before = product()
    with pytest.raises(KeyError), bfloat16_products():
        assert products_are_reduced()
        raise KeyError
    assert not products_are_reduced()
    torch.manual_seed(1)
    assert torch.equal(product(), before)


def test_short_maps_are_trained_unfused_where_factors_have_16_bits():
    query = torch.randn(2, 3, 200, 8, requires_grad=True)
    assert plan(query, query, query).path == "lower"
    half = query.detach().bfloat16().requires_grad_()
    assert plan(half, half, half).path == "reference"
    assert plan(half.detach(), half.detach(), half.detach()).path == "lower"
    with bfloat16_products():
        assert plan(query, query, query).path == "reference"
    assert plan(query, query, query).path == "lower"
