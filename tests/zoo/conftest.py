"""What the tests of the zoo share: one small run, and what is packed of it."""

import pytest

from regard.training.config import Budget
from regard.zoo.packing import pack
from training.small import corpus, start


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    """A run of two steps on a made-up language."""
    folder = tmp_path_factory.mktemp("zoo")
    start(folder / "run", corpus(folder), budget=Budget(steps=2))
    return folder / "run"


@pytest.fixture(scope="session")
def packed(run, tmp_path_factory):
    """The run's translator in int8."""
    return pack(run, tmp_path_factory.mktemp("packed") / "bo-ti", sentences=3)
