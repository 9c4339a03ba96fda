"""Cluttered digits: a pure function of seed, split and number."""

import numpy as np
import pytest

from regard.data.clutter import ClutterConfig, cluttered
from regard.errors import ChoiceError, RangeError


def test_the_same_number_is_the_same_picture():
    one, again, other = cluttered(0, 5), cluttered(0, 5), cluttered(0, 6)
    assert np.array_equal(one.pixels, again.pixels)
    assert one.box == again.box
    assert not np.array_equal(one.pixels, other.pixels)
    assert not np.array_equal(one.pixels, cluttered(1, 5).pixels)


def test_the_digit_stands_in_its_box_and_scraps_everywhere():
    bare = ClutterConfig(scraps=0)
    for number in range(20):
        alone = cluttered(0, number, config=bare)
        left, top, right, bottom = alone.box
        assert alone.pixels.shape == (60, 60)
        assert 0 <= left < right <= 60 and 0 <= top < bottom <= 60
        outside = alone.pixels.copy()
        outside[top:bottom, left:right] = 0
        assert outside.max() == 0
        assert alone.pixels.max() > 150
    full = np.mean([cluttered(0, number).pixels for number in range(40)], axis=0)
    assert (full > 0).mean() > 0.9


def test_all_digits_come_and_splits_share_no_picture():
    digits = {cluttered(0, number).digit for number in range(80)}
    assert digits == set(range(10))
    bare = ClutterConfig(side=24, smallest=24, largest=24, scraps=0)
    drawn = {
        split: {cluttered(0, n, split=split, config=bare).pixels.tobytes() for n in range(200)}
        for split in ("train", "valid", "test")
    }
    assert not drawn["train"] & drawn["valid"] and not drawn["valid"] & drawn["test"]


def test_settings_that_cannot_be_are_answered_in_a_sentence():
    with pytest.raises(RangeError, match="seed and index must be 0 or more"):
        cluttered(0, -1)
    with pytest.raises(RangeError, match="cluttered digits need sides"):
        cluttered(0, 0, config=ClutterConfig(largest=80))
    with pytest.raises(ChoiceError):
        cluttered(0, 0, split="none")
