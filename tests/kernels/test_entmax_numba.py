"""The logarithm and exponential written for vector units."""

import math

import pytest

pytest.importorskip("numba")

from regard.kernels.entmax_numba import exponential, logarithm

NEAR_ONE = [1 + sign * 2.0**-k for k in range(1, 53) for sign in (-1, 1)]
ANYWHERE = [10.0**k * digits for k in range(-300, 300, 7) for digits in (1.0, 1.41421, 7.3)]


@pytest.mark.parametrize("numbers", [NEAR_ONE, ANYWHERE, [math.sqrt(0.5), math.sqrt(2), 1.0]])
def test_logarithm_has_all_its_digits(numbers):
    for number in numbers:
        assert logarithm(number, number - 1) == pytest.approx(math.log(number), rel=1e-15, abs=0)


def test_logarithm_uses_the_difference_that_a_sum_would_lose():
    for tiny in (1e-18, -1e-20, 3e-200):
        assert logarithm(1.0, tiny) == pytest.approx(tiny, rel=1e-15, abs=0)


def test_exponential_has_all_its_digits():
    for step in range(-6990, 6991, 13):
        number = step / 10 + 1e-3
        assert exponential(number) == pytest.approx(math.exp(number), rel=1e-15, abs=0)
    assert exponential(0.0) == 1
    assert 0 < exponential(-1e300) < 1e-300 < 1e300 < exponential(1e300) < math.inf
