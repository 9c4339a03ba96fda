"""Cutting rows under a budget."""

import numpy as np

from regard.data.batches.stream import by_length, cut


def test_the_longest_row_counts_wherever_it_stands():
    assert cut([5, 2, 2, 3], max_tokens=10, max_rows=None) == [slice(0, 2), slice(2, 4)]


def test_a_batch_may_fill_its_budget_to_the_last_token():
    assert cut([3, 3, 3, 3], max_tokens=9, max_rows=None) == [slice(0, 3), slice(3, 4)]
    assert cut([3, 3, 3, 3], max_tokens=8, max_rows=None) == [slice(0, 2), slice(2, 4)]


def test_a_row_beyond_the_budget_is_alone():
    assert cut([2, 50, 2], max_tokens=7, max_rows=None) == [slice(0, 1), slice(1, 2), slice(2, 3)]


def test_rows_can_be_limited_too():
    assert cut([1] * 5, max_tokens=100, max_rows=2) == [slice(0, 2), slice(2, 4), slice(4, 5)]
    assert cut([], max_tokens=100, max_rows=2) == []


def test_rows_are_sorted_by_their_longer_side_then_by_their_target():
    steps, targets = np.array([7, 3, 7, 3, 7]), np.array([2, 3, 1, 3, 2])
    assert by_length(steps, targets).tolist() == [1, 3, 2, 0, 4]
