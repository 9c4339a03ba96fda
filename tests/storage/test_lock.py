import os
import signal
import socket

import pytest

from regard.errors import BusyError, StorageError
from regard.storage import lock
from regard.storage.lock import hold


def test_a_second_holder_is_refused_and_told_who_is_first(tmp_path):
    who = rf"{tmp_path} is in use by process {os.getpid()} on {socket.gethostname()}; wait until"
    with hold(tmp_path), pytest.raises(BusyError, match=who), hold(tmp_path):
        pass


def test_a_lock_is_free_once_its_holder_is_done_or_has_failed(tmp_path):
    for _ in range(2):
        with pytest.raises(KeyError), hold(tmp_path):
            raise KeyError
    with hold(tmp_path):
        pass


def test_a_refused_one_does_not_free_the_lock_of_the_first(tmp_path):
    with hold(tmp_path):
        for _ in range(2):
            with pytest.raises(BusyError), hold(tmp_path):
                pass


def test_an_unsigned_lock_is_held_all_the_same(tmp_path):
    with hold(tmp_path):
        (tmp_path / ".lock").write_bytes(b"")
        with pytest.raises(BusyError, match="in use by another process"), hold(tmp_path):
            pass


def test_a_shorter_name_does_not_keep_the_end_of_a_longer_one(tmp_path):
    (tmp_path / ".lock").write_text("x" * 500)
    with (
        hold(tmp_path),
        pytest.raises(BusyError, match=f"process {os.getpid()} on"),
        hold(tmp_path),
    ):
        pass


def test_a_full_disk_does_not_cost_the_lock(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with hold(tmp_path), pytest.raises(BusyError, match="another process"), hold(tmp_path):
        pass


@pytest.mark.parametrize("target", ["notes.txt", "nowhere"])
def test_a_link_is_no_lock_and_what_it_points_to_stays(tmp_path, target):
    (tmp_path / "notes.txt").write_text("three weeks")
    (tmp_path / ".lock").symlink_to(tmp_path / target)
    with (
        pytest.raises(StorageError, match=r"\.lock needs to be a lock, and it is a link .*delete"),
        hold(tmp_path),
    ):
        pass
    assert (tmp_path / "notes.txt").read_text() == "three weeks"
    assert not (tmp_path / "nowhere").exists()


def test_a_lock_signed_by_nonsense_is_held_by_another_process(tmp_path):
    with hold(tmp_path):
        (tmp_path / ".lock").write_bytes(b"[" * 4096)
        with pytest.raises(BusyError, match="in use by another process"), hold(tmp_path):
            pass


def test_a_folder_that_is_not_there_cannot_be_locked(tmp_path):
    with pytest.raises(StorageError, match="none can be had, No such file"), hold(tmp_path / "x"):
        pass


def child_holding(folder):
    """A forked process that holds the lock until it is killed."""
    ready, done = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            with hold(folder):
                os.write(done, b"1")
                signal.pause()
        finally:
            os._exit(1)
    assert os.read(ready, 1) == b"1"
    os.close(ready)
    os.close(done)
    return child


def test_a_lock_on_a_file_that_was_deleted_meanwhile_is_taken_again(tmp_path, monkeypatch):
    original, deleted = lock._lock, []

    def late(number, folder):
        if not deleted:
            deleted.append((folder / ".lock").unlink())
        original(number, folder)

    monkeypatch.setattr(lock, "_lock", late)
    with hold(tmp_path):
        assert (tmp_path / ".lock").exists()
        with pytest.raises(BusyError), hold(tmp_path):
            pass


def test_a_killed_process_leaves_no_lock(tmp_path):
    child = child_holding(tmp_path)
    with pytest.raises(BusyError, match=f"process {child} on"), hold(tmp_path):
        pass
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with hold(tmp_path):
        pass


def test_a_forked_worker_neither_keeps_nor_frees_the_lock(tmp_path):
    ready, done = os.pipe()
    with hold(tmp_path):
        worker = os.fork()
        if worker == 0:
            os.write(done, b"1")
            signal.pause()
            os._exit(0)
        assert os.read(ready, 1) == b"1"
        with pytest.raises(BusyError), hold(tmp_path):
            pass
    try:
        with hold(tmp_path):  # the worker is still alive
            pass
    finally:
        os.kill(worker, signal.SIGKILL)
        os.waitpid(worker, 0)
        os.close(ready)
        os.close(done)
