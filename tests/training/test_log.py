import json
import math
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.errors import InputError, RangeError, StorageError
from regard.training import log


@pytest.fixture
def path(tmp_path):
    return tmp_path / "log.jsonl"


def write(path, steps, *, resumed=None):
    with log.opened(path, step=resumed) as one:
        for step in steps:
            one.write(step, loss=step / 7)
        one.sync()


def steps(path):
    return [entry["step"] for entry in log.read(path)]


def test_each_line_is_a_json_object_with_its_step(path):
    with log.opened(path) as one:
        one.write(2, loss=0.1, sample="le chat\nnoir", best=True, note=None)
    [line] = path.read_text().splitlines()
    assert json.loads(line) == {
        "step": 2,
        "loss": 0.1,
        "sample": "le chat\nnoir",
        "best": True,
        "note": None,
    }


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_json_has_no_word_for_is_null(path, value):
    with log.opened(path) as one:
        one.write(1, loss=value)
    assert json.loads(path.read_text()) == {"step": 1, "loss": None}


def test_a_resumed_run_has_every_step_once(path):
    write(path, range(1, 9))
    write(path, range(6, 11), resumed=5)
    assert steps(path) == list(range(1, 11))


def test_several_lines_of_one_step_are_kept(path):
    write(path, [1, 2, 2, 3])
    write(path, [3], resumed=2)
    assert steps(path) == [1, 2, 2, 3]


def test_a_run_that_starts_anew_puts_aside_whatever_log_is_there(path):
    path.write_text('{"a": "three weeks"}\n')
    with pytest.warns(UserWarning, match=r"log\.jsonl was there already: it is log\.jsonl\.1 now"):
        write(path, [0, 1, 2])
    with pytest.warns(UserWarning, match=r"it is log\.jsonl\.2 now"):
        write(path, [0])
    assert steps(path) == [0]
    assert path.with_name("log.jsonl.1").read_text() == '{"a": "three weeks"}\n'
    assert steps(path.with_name("log.jsonl.2")) == [0, 1, 2]


@pytest.mark.parametrize(
    "foreign",
    [
        b'{"a": "three weeks"}\n',
        b"my notes",
        b"\0 my notes",
        b"[" * 100_000 + b"\n",
        b'{"step": 1, "lo\n{"step": 2, "lo\n',
    ],
)
def test_what_no_dying_writer_left_is_not_cut_off(path, foreign):
    for before in (b"", b'{"step": 1}\n'):
        path.write_bytes(before + foreign)
        with pytest.raises(InputError, match="a log needs a JSON object with a step"):
            write(path, [4], resumed=3)
        assert path.read_bytes() == before + foreign


@pytest.mark.parametrize("resumed", [None, 3])
@pytest.mark.parametrize("kind", ["link", "hanging link", "pipe", "folder"])
def test_a_log_that_is_no_file_is_refused_and_what_is_behind_it_stays(path, resumed, kind):
    notes = path.with_name("notes.txt")
    notes.write_text("three weeks")
    make = {
        "link": lambda: path.symlink_to(notes),
        "hanging link": lambda: path.symlink_to(path.with_name("nowhere")),
        "pipe": lambda: os.mkfifo(path),
        "folder": path.mkdir,
    }
    make[kind]()
    with pytest.raises(StorageError, match=r"log\.jsonl cannot be written, .*another folder"):
        write(path, [4], resumed=resumed)
    assert notes.read_text() == "three weeks"
    assert not path.with_name("nowhere").exists()
    if kind == "pipe":
        with pytest.raises(InputError, match="cannot be read, it is a pipe"):
            log.read(path)


@settings(max_examples=25)
@given(cut=st.integers(0, 90), at=st.integers(0, 6))
def test_a_torn_end_is_cut_off_wherever_it_tore(tmp_path_factory, cut, at):
    path = tmp_path_factory.mktemp("log") / "log.jsonl"
    write(path, range(1, 7))
    data = path.read_bytes()[: -cut or None]
    path.write_bytes(data)
    whole = data.count(b"\n")
    assert steps(path) == list(range(1, whole + 1))
    write(path, [at + 1], resumed=at)
    assert steps(path) == [*range(1, min(whole, at) + 1), at + 1]


def test_blocks_that_never_reached_the_disk_are_cut_off(path):
    write(path, range(1, 4))
    with path.open("ab") as file:
        file.write(b"\0" * 512 + b"\n" + b"\0" * 3)
    write(path, [4], resumed=3)
    assert steps(path) == [1, 2, 3, 4]


def test_a_line_spoilt_in_the_middle_is_named_and_nothing_cut(path):
    write(path, range(1, 5))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], b"{spoilt\n", *lines[2:]]))
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"log\.jsonl, line 2: a log needs .* got b'\{spoilt"):
        write(path, [5], resumed=4)
    with pytest.raises(InputError, match="line 2"):
        log.read(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("line", [b"[]", b"7", b'{"loss": 1}', b'{"step": 1.5}', b"\xff"])
def test_a_line_without_a_step_is_refused(path, line):
    path.write_bytes(line + b"\n")
    with pytest.raises(InputError, match="line 1: a log needs a JSON object with a step"):
        log.read(path)


@pytest.mark.parametrize("resumed", [None, 5])
def test_a_step_cannot_go_back(path, resumed):
    with log.opened(path, step=resumed) as one:
        one.write(5)
        with pytest.raises(RangeError, match="never go back, got 4 after 5"):
            one.write(4)


def test_a_resumed_log_knows_where_it_is(path):
    write(path, [1, 2, 3])
    with log.opened(path, step=3) as one, pytest.raises(RangeError, match="got 2 after 3"):
        one.write(2)


def test_a_full_disk_leaves_the_lines_before_and_no_half_one(path, monkeypatch):
    original = os.write
    with log.opened(path) as one:
        one.write(1, loss=0.5)
        calls = []

        def half(number, data):
            calls.append(len(data))
            if len(calls) > 1:
                raise OSError(28, "No space left on device")
            return original(number, data[:3])

        monkeypatch.setattr(os, "write", half)
        with pytest.raises(StorageError, match="cannot be written, No space left"):
            one.write(2, loss=0.25)
        monkeypatch.undo()
        assert steps(path) == [1]
        one.write(2, loss=0.25)
    assert steps(path) == [1, 2]


def test_a_line_that_the_system_takes_in_parts_is_whole(path, monkeypatch):
    original = os.write
    monkeypatch.setattr(os, "write", lambda number, data: original(number, data[:2]))
    write(path, [1, 2])
    assert steps(path) == [1, 2]


def test_a_log_in_no_folder_is_refused(tmp_path):
    missing = tmp_path / "x" / "log.jsonl"
    with pytest.raises(StorageError, match="cannot be written, No such file"), log.opened(missing):
        pass
    with pytest.raises(InputError, match="cannot be read, No such file"):
        log.read(missing)
