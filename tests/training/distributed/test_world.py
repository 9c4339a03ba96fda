"""Who a process is, from what torchrun says."""

import pytest

from regard.errors import InputError
from regard.training.distributed.world import World, started

SAID = {"RANK": "5", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "4"}


def test_a_process_that_nobody_started_with_others_is_alone():
    assert started({}) == World(rank=0, count=1, local_rank=0, local_count=1)


def test_a_process_knows_its_place_among_all_and_on_its_machine():
    assert started(SAID) == World(rank=5, count=8, local_rank=1, local_count=4)


@pytest.mark.parametrize("name", ["WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"])
def test_half_of_what_is_needed_is_refused_with_what_came(name):
    said = {key: value for key, value in SAID.items() if key != name}
    with pytest.raises(InputError, match=rf"whole numbers in RANK.*{name}=not set.*start them"):
        started(said)


def test_a_rank_that_is_no_number_is_refused():
    with pytest.raises(InputError, match="RANK=first"):
        started({**SAID, "RANK": "first"})
