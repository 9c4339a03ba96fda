"""A few thousand pairs, drawn once."""

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from regard.data.grammar import Pair
from regard.data.grammar.derivation import Derivation

CHILD = Path(__file__).with_name("draw_child.py")


def drawn(seed, count, *, hash_seed="0", **options):
    """The first ``count`` pairs of a grammar, from a process of its own."""
    asked = json.dumps({"seed": seed, "count": count, **options})
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONIOENCODING": "utf-8"}
    process = subprocess.run(
        [sys.executable, str(CHILD), asked],
        env=environment,
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    return tuple(map(_pair, process.stdout.splitlines()))


def _pair(line):
    source, target, alignment, source_tags, target_tags = json.loads(line)
    links = frozenset((first, second) for first, second in alignment)
    return Pair(tuple(source), tuple(target), links, tuple(source_tags), tuple(target_tags))


@pytest.fixture(scope="session")
def draw():
    return drawn


@pytest.fixture(scope="session")
def pairs():
    """Pairs of every kind and split, short and long."""
    short = drawn(11, 5000)
    return (*short, *drawn(12, 300, bucket=(21, 45)), *drawn(13, 200, split="test"))


@pytest.fixture(scope="session")
def french(pairs):
    """The French side of ``pairs``, one line each."""
    return "\n".join(pair.target_text for pair in pairs)


@pytest.fixture
def derivation():
    return Derivation(Random(0))
