"""What the tests of training share."""

import pytest

from training.doomed import nursery


@pytest.fixture(scope="session")
def children():
    """Makes processes that die."""
    with nursery() as made:
        yield made


@pytest.fixture(scope="module", autouse=True)
def _signals(heard):
    """Tests and what they share end runs in the middle of a step."""
