"""What a user hears while kernels are compiled."""

import logging
import re
from pathlib import Path

import regard
from regard.kernels.jit import PURPOSES, Announcements

SOURCES = [
    path.read_text()
    for path in Path(regard.__file__).parent.rglob("*.py")
    if not path.stem.endswith("_numba")
]


def test_every_purpose_is_announced_once_and_helpers_are_not(caplog):
    announcements = Announcements()
    names = ("gru_numba", "bits_numba", "tanh_numba", "gru_numba", "stack_numba", "matmul_numba")
    with caplog.at_level(logging.WARNING, logger="regard"):
        for name in names:
            announcements.of(f"regard.kernels.{name}")
    said = [re.search(r"for (.*): some seconds", line)[1] for line in caplog.messages]
    assert said == [
        "GRU layers",
        "additive attention",
        "decoding many sentences with a Transformer",
    ]


def test_what_only_many_sentences_need_is_not_announced_as_what_one_needs():
    assert PURPOSES["paged_numba"] != PURPOSES["stack_numba"]


def test_nothing_is_said_to_come_only_once(caplog):
    with caplog.at_level(logging.WARNING, logger="regard"):
        Announcements().of("regard.kernels.gru_numba")
    assert caplog.messages == [
        "compiling kernels of regard for GRU layers: some seconds, and kept for the next time"
    ]


def test_every_kernel_that_is_called_from_python_has_a_purpose():
    called = set(re.findall(r"import (\w+_numba)|\.(\w+_numba) import", "\n".join(SOURCES)))
    names = {one or other for one, other in called} - {"without_numba"}
    assert len(names) > 5
    assert names <= set(PURPOSES)
