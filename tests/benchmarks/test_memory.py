import sys
from pathlib import Path

import pytest

import regard
from benchmarks.case import Case
from benchmarks.memory import (
    Peak,
    child_environment,
    in_child,
    parse_answer,
    peak_of,
    resident_bytes,
)
from benchmarks.reasons import Absence, reason

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def test_the_status_file_is_read_in_bytes(tmp_path):
    status = tmp_path / "status"
    status.write_text("Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n")
    assert resident_bytes("VmRSS", status) == 1_048_576
    assert resident_bytes("VmHWM", status) == 2_097_152


@linux_only
def test_the_peak_sees_memory_that_is_already_freed_when_the_call_returns():
    size = 50_000_000

    def call():
        for _ in range(2):  # one after the other: the peak is one of them
            block = b"x" * size
            del block

    needed, baseline, method = peak_of(call)
    assert 0.99 * size <= needed < 1.5 * size
    assert baseline > 0
    assert method == "VmHWM"


@linux_only
def test_an_earlier_peak_does_not_count():
    block = b"x" * 50_000_000
    del block
    needed, _, _ = peak_of(lambda: None)
    assert needed < 5_000_000


def test_the_answer_of_a_child_is_its_last_line():
    line = '{"bytes": 7, "baseline_bytes": 5, "kept_bytes": 3, "seconds": 0.5, "method": "VmHWM"}'
    assert parse_answer(f"chatter\n{line}\n", "", 0) == Peak(7, 5, 3, 0.5, "VmHWM")
    assert parse_answer('{"absent": "not installed"}', "", 0) == Absence("not installed")


def test_a_child_that_dies_leaves_its_last_words():
    died = parse_answer("", "Traceback\nMemoryError: too much\n", 1)
    assert died == Absence("the process ended with 1: MemoryError: too much")
    assert parse_answer("", "", -9) == Absence("the process ended with -9: no message")


def test_the_child_finds_this_package_and_an_allocator_that_gives_memory_back():
    folder = str(Path(regard.__file__).resolve().parents[1])
    assert child_environment("peak")["PYTHONPATH"].startswith(folder)
    assert "MALLOC_MMAP_THRESHOLD_" in child_environment("peak")
    assert "MALLOC_MMAP_THRESHOLD_" not in child_environment("seconds")


def test_a_real_child_measures_the_map_of_the_eager_form():
    case = Case("softmax", (1, 1, 1024, 8))
    peak = in_child("eager", case, threads=1, repeats=1)
    assert isinstance(peak, Peak)
    one_map = 1024 * 1024 * 4
    assert one_map <= peak.bytes < 4 * one_map  # scores and weights, and little else
    assert peak.seconds is not None


def test_a_child_that_takes_too_long_is_stopped_and_said_so():
    case = Case("softmax", (1, 1, 8, 8))
    assert in_child("eager", case, threads=1, timeout=0.05) == Absence("no answer within 0 s")


def test_a_reason_is_the_first_sentence_and_short():
    assert reason(ValueError("No such\n thing. See the manual.")) == "ValueError: No such thing."
    assert reason(KeyError()) == "KeyError"
    assert len(reason(ValueError("x" * 500))) == 120
