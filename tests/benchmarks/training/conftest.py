"""Small corpora and hand-made reports on training."""

import io
import json

import pytest

from benchmarks.training.drivers.protocol import Job, Meter

SPECIALS = ["<pad>", "<unk>", "<s>", "</s>"]
PAIRS = [
    ("a b", "x"),
    ("a", "x y z"),
    ("b b b", "y"),
    ("c a", "z x"),
    ("a b c a b", "x y"),
]
"""Longer sides, with the end: 3, 4, 4, 3, 6."""


@pytest.fixture
def folder(tmp_path):
    """Five pairs and ten entries, as the parent would write them."""
    for number, side in enumerate(("source", "target")):
        lines = "".join(pair[number] + "\n" for pair in PAIRS)
        (tmp_path / f"train.{side}").write_text(lines, encoding="utf-8")
    entries = [*SPECIALS, *"abcxyz"]
    (tmp_path / "vocabulary.txt").write_text("\n".join(entries) + "\n", encoding="utf-8")
    return tmp_path


class Over(BaseException):
    """What ends a driver in a test, where the process must live on."""


def leave(code):
    raise Over(code)


@pytest.fixture
def metered():
    """A meter with these orders, what it answered, and what it ends with."""

    def made(orders, **settings):
        answers = io.StringIO()
        lines = orders if isinstance(orders, io.StringIO) else io.StringIO(orders)
        return Meter(lines, answers, leave=leave, **settings), answers, Over

    return made


@pytest.fixture
def trained(folder, metered):
    """Answers of a driver that is called with a job and a meter."""

    def run(train, architecture, orders="go 0.001\n", max_tokens=12):
        meter, answers, over = metered(orders)
        job = Job(architecture, folder, threads=1, max_tokens=max_tokens)
        with pytest.raises(over):
            train(job, meter)
        return [json.loads(line) for line in answers.getvalue().splitlines()]

    return run
