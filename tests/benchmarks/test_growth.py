from math import e

import pytest

from benchmarks.growth import exponent, last_exponent


def test_a_square_has_exponent_two():
    sizes = [256, 512, 1024]
    assert exponent(sizes, [3 * n**2 for n in sizes]) == pytest.approx(2.0)


def test_least_squares_on_points_that_lie_on_no_line():
    # x = 0, 1, 2 and y = 0, 1, 4: slope ((-1)(-5/3) + (1)(7/3)) / 2 = 2
    assert exponent([1, e, e**2], [1, e, e**4]) == pytest.approx(2.0)


def test_the_last_exponent_looks_at_the_two_largest_sizes_in_any_order():
    assert last_exponent([e**2, 1, e], [e**4, 1, e]) == pytest.approx(3.0)


def test_readings_under_the_floor_count_as_the_floor():
    assert exponent([1, 2, 4], [0, 0, 0], floor=10) == pytest.approx(0.0)
    assert exponent([1, 2], [0, 40], floor=10) == pytest.approx(2.0)
