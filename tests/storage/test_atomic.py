import os
from pathlib import Path

import pytest

from regard.storage.regular import discard, new_folder, sweep, write_file


def names(path):
    return sorted(one.relative_to(path).as_posix() for one in path.rglob("*"))


def test_a_folder_is_not_there_before_it_is_whole(tmp_path):
    target = tmp_path / "made"
    with new_folder(target) as draft:
        write_file(draft / "a", b"1")
        assert not target.exists()
        assert draft.parent == target.parent
    assert names(tmp_path) == ["made", "made/a"]


@pytest.mark.parametrize("error", [OSError(28, "No space left"), KeyboardInterrupt()])
def test_what_fails_leaves_no_trace(tmp_path, error):
    with pytest.raises(type(error)), new_folder(tmp_path / "made") as draft:
        (draft / "sub").mkdir()
        write_file(draft / "sub/a", b"1")
        raise error
    assert names(tmp_path) == []


def test_everything_is_on_the_disk_before_the_rename_and_the_name_after_it(tmp_path, monkeypatch):
    events = []
    sync, rename = os.fsync, Path.rename

    def watched_sync(number):
        events.append(("sync", Path(f"/proc/self/fd/{number}").readlink().name))
        sync(number)

    def watched_rename(self, target):
        events.append(("rename", target.name))
        return rename(self, target)

    monkeypatch.setattr(os, "fsync", watched_sync)
    monkeypatch.setattr(Path, "rename", watched_rename)
    with new_folder(tmp_path / "made") as draft:
        (draft / "sub").mkdir()
        write_file(draft / "a", b"1")
        write_file(draft / "sub/b", b"2")
        assert events == []
    at = events.index(("rename", "made"))
    assert {name for _, name in events[:at]} == {"a", "sub", "b", draft.name}
    assert events[at + 1 :] == [("sync", tmp_path.name)]


def test_a_write_that_the_system_takes_in_parts_is_whole(tmp_path, monkeypatch):
    original = Path.open

    class Reluctant:
        def __init__(self, file):
            self.file = file

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.file.close()

        def write(self, data):
            return self.file.write(data[:3])

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", lambda *a, **k: Reluctant(original(*a, **k)))
        write_file(tmp_path / "a", b"seven and more")
    assert (tmp_path / "a").read_bytes() == b"seven and more"


def test_a_file_is_never_written_over(tmp_path):
    write_file(tmp_path / "a", b"first")
    with pytest.raises(FileExistsError):
        write_file(tmp_path / "a", b"second")
    assert (tmp_path / "a").read_bytes() == b"first"


def test_a_folder_is_out_of_sight_before_its_files_go(tmp_path, monkeypatch):
    (tmp_path / "old").mkdir()
    write_file(tmp_path / "old/a", b"1")

    def fail(path):
        assert not (tmp_path / "old").exists()
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr("shutil.rmtree", fail)
        with pytest.raises(OSError, match="Input/output"):
            discard(tmp_path / "old")
    [draft] = tmp_path.iterdir()
    sweep(tmp_path)
    assert not draft.exists()


def test_a_sweep_takes_drafts_and_leaves_what_only_points_elsewhere(tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/a").write_text("1")
    (tmp_path / "run").mkdir()
    (tmp_path / "run/.draft-step-1-ab").mkdir()
    (tmp_path / "run/.draft-link").symlink_to(tmp_path / "kept")
    (tmp_path / "run/.draft-file").write_text("mine")
    sweep(tmp_path / "run")
    assert names(tmp_path) == ["kept", "kept/a", "run", "run/.draft-file", "run/.draft-link"]
