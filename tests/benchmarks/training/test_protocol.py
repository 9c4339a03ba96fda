import io
import json
import os
import subprocess
import sys

import pytest

from benchmarks.places import ROOT
from benchmarks.training.drivers.protocol import Amount, job


class Clock:
    """A clock that is moved by hand."""

    now = 100.0

    def __call__(self):
        return self.now


def amount(batch):
    return Amount(rows=batch, source_tokens=2 * batch, target_tokens=3 * batch, padded=5 * batch)


def read(answers):
    return [json.loads(line) for line in answers.getvalue().splitlines()]


def test_a_turn_lasts_until_the_time_is_over_and_the_update_that_has_begun_is_finished(metered):
    clock = Clock()
    meter, answers, over = metered("go 3\n", clock=clock)
    with pytest.raises(over):
        for _ in meter.over([1, 10, 100, 1000], amount):
            clock.now += 2.0
    (turn,) = read(answers)
    assert turn["seconds"] == 4.0
    assert turn["updates"] == 2
    assert (turn["rows"], turn["source_tokens"]) == (11, 22)
    assert (turn["target_tokens"], turn["padded"]) == (33, 55)
    assert turn["peak_bytes"] > 2**20


def test_every_turn_counts_from_nothing_and_time_between_turns_is_nobodys(metered):
    clock = Clock()

    class Orders(io.StringIO):
        def readline(self, *_):
            clock.now += 50.0
            return super().readline()

    meter, answers, over = metered(Orders("go 1\ngo 1\nstop\n"), clock=clock)
    with pytest.raises(over):
        for _ in meter.over([2, 3, 7], amount):
            clock.now += 1.0
    assert [(turn["seconds"], turn["rows"]) for turn in read(answers)] == [(1.0, 2), (1.0, 3)]


def test_making_a_batch_counts(metered):
    clock = Clock()
    meter, answers, over = metered("go 3\n", clock=clock)

    def slow():
        while True:
            clock.now += 4.0
            yield 1

    with pytest.raises(over):
        for _ in meter.over(slow(), amount):
            clock.now += 1.0
    assert [turn["seconds"] for turn in read(answers)] == [5.0]


def test_a_turn_goes_on_in_the_next_epoch(metered):
    clock = Clock()
    meter, answers, over = metered("go 3\n", clock=clock)
    with pytest.raises(over):
        while True:
            for _ in meter.over([1, 10], amount):
                clock.now += 1.0
    assert [(turn["updates"], turn["rows"]) for turn in read(answers)] == [(3, 12)]


def test_a_turn_of_no_time_has_one_update(metered):
    meter, answers, over = metered("go 0\n", clock=Clock())
    with pytest.raises(over):
        for _ in meter.over([1, 10], amount):
            pass
    assert [turn["updates"] for turn in read(answers)] == [1]


def test_a_job_comes_as_json(tmp_path):
    text = json.dumps(
        {"architecture": "gru", "folder": str(tmp_path), "threads": 3, "max_tokens": 7}
    )
    assert job([text]) == ("gru", tmp_path, 3, 7)


def test_what_a_system_prints_does_not_get_between_the_answers():
    script = (
        "from benchmarks.training.drivers.protocol import opened\n"
        "meter = opened()\n"
        "print('noise', flush=True)\n"
        "meter.ready(parameters=7)\n"
        "print('noise', flush=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == '{"parameters": 7}\n'
    assert done.stderr.split() == ["noise", "noise"]
