"""What the tests of training share."""

import pytest

from training.doomed import nursery


@pytest.fixture(scope="session")
def children():
    """Makes processes that die."""
    with nursery() as made:
        yield made


@pytest.fixture(autouse=True)
def _signals(heard):
    """Some end a run in the middle of a step."""
