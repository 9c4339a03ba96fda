import math

import pytest

from benchmarks.amounts import amount, megabytes, milliseconds
from benchmarks.goals import at_least, at_most, under


@pytest.mark.parametrize(
    ("goal", "value", "line"),
    [
        (at_least(30.0), 61.24, "≥ 30× ✓ 61.2×"),
        (at_least(30.0), 30.0, "≥ 30× ✓ 30.0×"),
        (at_least(2.5), 2.4, "≥ 2.5× ✗ 2.40×"),
        (at_most(1.05), 0.9874, "≤ 1.05× ✓ 0.987×"),
        (at_most(1.05), 1.051, "≤ 1.05× ✗ 1.051×"),
        (at_most(1.15, ""), 1.02, "≤ 1.15 ✓ 1.020"),
        (under(20.0, "µs"), 8.25, "< 20 µs ✓ 8.25 µs"),
        (under(20.0, "µs"), 20.0, "< 20 µs ✗ 20.0 µs"),
        (under(300.0, "MB"), 123.4, "< 300 MB ✓ 123 MB"),
        (at_least(30.0), None, "≥ 30× ? not measured"),
        (at_least(30.0), math.nan, "≥ 30× ✗ failed"),
    ],
)
def test_a_verdict_reads_goal_mark_value(goal, value, line):
    assert goal.verdict(value) == line


@pytest.mark.parametrize("goal", [at_least(1.0), at_most(1.0), under(1.0, "s")])
def test_a_nan_meets_no_goal(goal):
    assert not goal.met(math.nan)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.1234, "×", "0.123×"),
        (1.9996, "", "2.000"),
        (2.346, "s", "2.35 s"),
        (-12.34, "µs", "-12.3 µs"),
        (1234.5, "ms", "1,234 ms"),
    ],
)
def test_amounts_keep_about_three_digits(value, unit, text):
    assert amount(value, unit) == text


def test_seconds_and_bytes_become_milliseconds_and_megabytes():
    assert milliseconds(0.0117) == "11.7"
    assert megabytes(3_073_000_000) == 3073.0
