"""The same batches for another number of processes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.data.batches import BatchConfig
from regard.errors import RangeError
from regard.training.resumption import shared_out


def position(tokens, rows=None):
    return {"tokens_of_all_ranks": tokens, "rows_of_all_ranks": rows}


@given(st.integers(1, 7), st.integers(1, 7), st.integers(1, 100))
def test_all_processes_together_keep_their_budget(before, now, unit):
    every = before * now * unit
    config = BatchConfig(max_tokens=every // before, max_rows=now * unit, seed=3)
    shared = shared_out(config, position(every, before * now * unit), now)
    assert shared.max_tokens * now == every
    assert shared.max_rows * now == every
    assert shared.seed == 3


def test_a_run_without_a_limit_of_rows_gets_none():
    assert shared_out(BatchConfig(max_tokens=50), position(100), 1).max_rows is None


def test_a_budget_that_cannot_be_shared_evenly_is_refused():
    with pytest.raises(RangeError, match=r"3 processes need .* max_tokens 100 for all of them"):
        shared_out(BatchConfig(max_tokens=50), position(100), 3)
