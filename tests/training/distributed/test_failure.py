"""The first process that fails speaks."""

import pytest

from regard.errors import InputError
from regard.training.distributed.world import FAILED, fail_together


class Count:
    """What processes count together, in one."""

    def __init__(self):
        self.counts = {}

    def add(self, key, amount):
        self.counts[key] = self.counts.get(key, 0) + amount
        return self.counts[key]


class Gone:
    """What was kept by a process that is no more."""

    def add(self, key, amount):
        raise RuntimeError("connection closed")


def fail(tally):
    with fail_together(tally):
        raise InputError("the third line is empty")


def test_the_first_to_fail_says_why_and_the_others_end_without_a_word():
    tally = Count()
    with pytest.raises(InputError, match="third line"):
        fail(tally)
    for _ in range(2):
        with pytest.raises(SystemExit) as ending:
            fail(tally)
        assert ending.value.code == FAILED != 0


def test_who_cannot_ask_is_not_the_first():
    with pytest.raises(SystemExit):
        fail(Gone())


def test_processes_that_do_not_fail_count_nothing():
    tally = Count()
    with fail_together(tally):
        pass
    assert tally.counts == {}
