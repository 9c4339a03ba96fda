"""How numbers are written for a reader."""

import pytest

from regard.lens.explain.layout import column, format_number, typeset
from regard.lens.explain.table import bar


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (15.0, "15"),
        (-3.0, "-3"),
        (0.0, "0"),
        (-0.0, "0"),
        (0.5, "0.5000"),
        (2.8625185805493937e-20, "2.9e-20"),
        (-0.00004, "-4.0e-05"),
        (0.00005, "0.0001"),
        (0.9999999, "1.0000"),
        (1234567.0, "1.2e+06"),
        (999999.0, "999999"),
        (float("inf"), "∞"),
        (float("-inf"), "-∞"),
        (float("nan"), "nan"),
    ],
)
def test_a_number_is_written_for_a_reader(number, text):
    assert format_number(number, precision=4) == text


def test_precision_reaches_the_exponential_too():
    assert format_number(2.8625185805493937e-20, precision=8) == "2.86252e-20"
    assert format_number(1 / 3, precision=8) == "0.33333333"


@pytest.mark.parametrize(
    ("numbers", "texts"),
    [
        ([1.0, 2.0], ["1", "2"]),
        ([0.5, 2.0], ["0.5", "2.0"]),
        ([0.5, 0.25], ["0.50", "0.25"]),
        ([1 / 3, 2.0], ["0.3333", "2.0000"]),
        ([1 - 1e-12, 1e-12, 0.0], ["1.0000", "1.0e-12", "0"]),
        ([], []),
    ],
)
def test_numbers_in_a_column_share_their_decimals(numbers, texts):
    assert column(numbers, precision=4) == texts


def test_numbers_are_typeset_for_print():
    assert typeset("-2.9e-20") == "−2.9·10⁻²⁰"
    assert typeset("1.2e+06") == "1.2·10⁶"
    assert typeset("-0.5") == "−0.5"


def test_a_bar_is_as_long_as_its_weight():
    assert bar(1.0, 1.0) == "█" * 12
    assert bar(0.5, 1.0) == "█" * 6
    assert bar(1 / 96, 1.0) == "▏"
    assert bar(0.0, 1.0) == bar(-1.0, 1.0) == bar(1.0, 0.0) == bar(float("nan"), 1.0) == ""
    assert bar(3.0, 1.0) == "█" * 12
