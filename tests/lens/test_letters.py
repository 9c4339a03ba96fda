"""Room for letters of any script: as many columns as rich counts in a terminal."""

import pytest
from rich.cells import cell_len

from regard.lens.words import width_of

TEXTS = [
    "",
    "chat noir",
    "été",
    "e\N{COMBINING ACUTE ACCENT}te",
    "日本語 x",
    "한국어",
    "\u05e9\u05dc",
]


@pytest.mark.parametrize("text", TEXTS)
def test_it_is_as_wide_as_in_a_terminal(text):
    assert width_of(text) == cell_len(text)


def test_a_mark_takes_no_room_and_a_chinese_letter_that_of_two():
    assert [width_of(letter) for letter in ("a", "\N{COMBINING ACUTE ACCENT}", "猫")] == [1, 0, 2]
