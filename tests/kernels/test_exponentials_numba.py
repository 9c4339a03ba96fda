"""The exponential of the kernels beside that of the C library."""

import math

import numpy as np
import pytest

pytest.importorskip("numba")

import numba

from regard.kernels.exponentials_numba import exponential


@numba.njit  # not kept on disk, where nobody would notice that the exponential has changed
def of_all(numbers, out):
    for place in range(len(numbers)):
        out[place] = exponential(numbers[place])


def computed(numbers):
    out = np.empty_like(numbers)
    of_all(numbers, out)
    return out


def test_it_is_the_exponential_to_a_few_units_of_the_last_place():
    numbers = np.linspace(-87, 87, 100_003, dtype=np.float32)
    expected = np.array([math.exp(float(each)) for each in numbers])
    relative = np.abs(computed(numbers).astype(np.float64) / expected - 1)
    assert relative.max() < 4 * 2.0**-24


def test_it_ends_before_the_range_does():
    found = computed(np.array([-1e30, -np.inf, 1e30, np.inf, 0.0], np.float32))
    low, high = math.exp(-87), math.exp(87)
    np.testing.assert_allclose(found, [low, low, high, high, 1.0], rtol=1e-6)


def test_what_is_no_number_gives_none():
    assert np.isnan(computed(np.array([np.nan], np.float32)))[0]
