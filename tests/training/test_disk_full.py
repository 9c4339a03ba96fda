"""Whatever write fails: the checkpoints before it load, no trace is left, and room is enough."""

import errno
import os
import re
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest

from regard.data.vocabulary import Characters, Vocabularies
from regard.errors import StorageError
from regard.storage import run_folder
from regard.storage.checkpoint import Checkpoint
from regard.storage.stored_model import codec_files
from training.tiny_run import TinyConfig, advanced, digest, weights_after


class Disk:
    """A disk on which every change after the first ``room`` fails, some of them half-way."""

    def __init__(self, monkeypatch, *, room, code=errno.ENOSPC):
        self.room = room
        self.code = code
        self.changes = 0
        self.open = Path.open
        monkeypatch.setattr(os, "fsync", self.counted(lambda number: None))
        for name in ("mkdir", "rename"):
            monkeypatch.setattr(Path, name, self.counted(getattr(Path, name)))
        monkeypatch.setattr(Path, "open", lambda *a, **k: self.opened(*a, **k))

    def change(self):
        self.changes += 1
        if self.changes > self.room:
            raise OSError(self.code, os.strerror(self.code))

    def counted(self, function):
        def call(*arguments, **options):
            self.change()
            return function(*arguments, **options)

        return call

    def opened(self, path, mode="r", *arguments, **options):
        if mode != "xb":
            return self.open(path, mode, *arguments, **options)
        self.change()
        return HalfWritten(self.open(path, mode, *arguments, **options), self)


class HalfWritten:
    """A file that first takes half of what it is given, and asks the disk at every write."""

    def __init__(self, file, disk):
        self.file = file
        self.disk = disk
        self.parts = 2

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def write(self, data):
        part = max(1, len(data) // self.parts)
        self.parts = 1
        self.file.write(data[:part])
        self.disk.change()
        return part


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "run"
    with run_folder.opened(path) as folder:
        folder.save_best(advanced(1).checkpoint())
        for steps in (1, 2):
            folder.save(advanced(steps).checkpoint())
    return path


@pytest.fixture
def run(started, tmp_path):
    return shutil.copytree(started, tmp_path / "run")


def names(path):
    return sorted(one.name for one in path.iterdir() if one.name != ".lock")


BEFORE = ["best-00000001", "step-00000001", "step-00000002"]
AFTER = ["best-00000001", "step-00000002", "step-00000003"]


def last_weights(path):
    with run_folder.opened(path) as folder:
        return digest(folder.resume(TinyConfig).model)


@contextmanager
def disk(**options):
    with pytest.MonkeyPatch.context() as monkeypatch:
        yield Disk(monkeypatch, **options)


def changes_of_a_save(run):
    path = shutil.copytree(run, run.parent / "counting")
    with disk(room=10**6) as counter, run_folder.opened(path) as folder:
        counter.changes = 0
        folder.save(advanced(3).checkpoint())
        return counter.changes


@pytest.mark.parametrize(
    ("code", "stride"), [(errno.ENOSPC, 1), (errno.EROFS, 17), (errno.EIO, 13), (errno.EDQUOT, 19)]
)
def test_every_change_of_the_disk_may_fail(run, code, stride):
    total = changes_of_a_save(run)
    assert total > 25
    new = advanced(3).checkpoint()
    before = manifests(run)
    for room in range(0, total, stride):
        with run_folder.opened(run) as folder:
            failed = fails(folder, new, room, code)
            in_place = "step-00000003" in names(run)
            assert failed or in_place
            assert in_place or manifests(run) == before
            assert digest(folder.resume(TinyConfig).model) == weights_after(2 + in_place)
        if in_place:
            break
    assert room >= total - 3 - stride


def manifests(path):
    """What the folder holds, down to the last byte."""
    return {place: (path / place / "manifest.json").read_bytes() for place in names(path)}


def test_a_save_that_failed_succeeds_once_there_is_room(run):
    with run_folder.opened(run) as folder:
        assert fails(folder, advanced(3).checkpoint(), 20, errno.ENOSPC)
        folder.save(advanced(3).checkpoint())
    assert names(run) == AFTER
    assert last_weights(run) == weights_after(3)


def fails(folder, checkpoint, room, code):
    """Whether saving is refused when the disk takes ``room`` changes; a warning is no refusal."""
    with disk(room=room, code=code):
        try:
            folder.save(checkpoint)
        except StorageError as error:
            assert f"cannot be written, {os.strerror(code)}; the checkpoints before" in str(error)
            return True
        except UserWarning as warning:
            assert "cannot be deleted" in str(warning)
    return False


def test_with_room_for_everything_nothing_fails(run):
    with run_folder.opened(run) as folder:
        assert not fails(folder, advanced(3).checkpoint(), 10**6, errno.ENOSPC)
    assert names(run) == AFTER


def test_a_tokenizer_that_cannot_be_written_leaves_no_trace(run):
    def full(path):
        path.write_bytes(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    new = advanced(3).checkpoint()
    new.attachments["tokenizer/words.txt"] = full
    with (
        run_folder.opened(run) as folder,
        pytest.raises(StorageError, match="step-00000003 cannot be written, No space left"),
    ):
        folder.save(new)
    assert names(run) == BEFORE


def test_vocabularies_that_cannot_be_written_are_told_like_the_rest(tmp_path):
    both = Vocabularies(Characters(["a"]), Characters(["b"]))
    new = Checkpoint(step=7, config=TinyConfig(), model={}, attachments=codec_files(both))
    said = r"step-00000007 cannot be written, No space left on device; .*df -i of files"
    failed = 0
    with run_folder.opened(tmp_path / "run") as folder:
        for room in range(40):
            with disk(room=room), pytest.MonkeyPatch.context() as patched:
                patched.setattr(os, "fsync", lambda number: None)
                try:
                    folder.save(new)
                    break
                except StorageError as error:
                    assert re.search(said, str(error))
                    failed += 1
    assert failed > 15


@contextmanager
def tmpfs(path, size):
    path.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(path)]
    try:
        made = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        made = False
    if not made:
        pytest.skip("file systems cannot be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", str(path)], check=True)


def test_on_a_real_full_disk_the_run_is_as_before_and_goes_on_once_there_is_room(run, tmp_path):
    small = tmp_path / "small"
    with tmpfs(small, "1m"):
        path = shutil.copytree(run, small / "run")
        filler = small / "filler"
        free = shutil.disk_usage(small).free
        new = advanced(3).checkpoint()
        for left in range(0, 60_000, 8192):
            filler.write_bytes(b"x" * (free - left))
            with run_folder.opened(path) as folder:
                try:
                    folder.save(new)
                    break
                except StorageError as error:
                    assert "No space left on device" in str(error)
            assert names(path) == BEFORE
            assert last_weights(path) == weights_after(2)
            filler.unlink()
        assert left > 8192, "the disk was never full"
        assert names(path) == AFTER
        assert last_weights(path) == weights_after(3)


def test_a_real_read_only_disk_is_refused_in_one_sentence(run, tmp_path):
    small = tmp_path / "small"
    with tmpfs(small, "1m"):
        path = shutil.copytree(run, small / "run")
        subprocess.run(["mount", "-o", "remount,ro", str(small)], check=True)
        with (
            pytest.raises(StorageError, match="none can be had, Read-only file system"),
            run_folder.opened(path),
        ):
            pass
        with (
            pytest.raises(StorageError, match="and is not, Read-only file system"),
            run_folder.opened(small / "new"),
        ):
            pass
        config, _ = run_folder.load_model(path, TinyConfig)
        assert config == TinyConfig()


def test_a_real_limit_on_the_size_of_files_is_a_full_disk(children, run):
    sizes = [path.stat().st_size for path in (run / "step-00000002").rglob("*") if path.is_file()]
    for limit in (0, 20, 2000, max(sizes) - 1):
        assert children.run("limit", run, limit) == 3
        assert names(run) == BEFORE
        assert last_weights(run) == weights_after(2)
    assert children.run("limit", run, max(sizes) + 4096) == 0
    assert names(run) == AFTER
