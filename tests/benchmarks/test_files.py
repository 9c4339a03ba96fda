import json

import pytest

from benchmarks.files import results_folder, write_atomically, write_json
from regard.errors import InputError


def test_a_file_is_replaced_whole(tmp_path):
    path = tmp_path / "a.json"
    write_json(path, {"µs": 1})
    write_json(path, {"µs": [2, None]})
    assert json.loads(path.read_text(encoding="utf-8")) == {"µs": [2, None]}
    assert [found.name for found in tmp_path.iterdir()] == ["a.json"]


def test_a_write_that_fails_leaves_the_old_file_and_no_rubbish(tmp_path, monkeypatch):
    path = tmp_path / "a.bin"
    write_atomically(path, b"old")

    def refuse(self, target):
        raise OSError("no")

    monkeypatch.setattr("pathlib.Path.replace", refuse)
    with pytest.raises(OSError, match="no"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert [found.name for found in tmp_path.iterdir()] == ["a.bin"]


def test_a_nan_never_reaches_the_file(tmp_path):
    with pytest.raises(ValueError, match="JSON compliant"):
        write_json(tmp_path / "a.json", {"value": float("nan")})


def test_the_folder_is_made_with_its_parents(tmp_path):
    assert results_folder(tmp_path / "b" / "c").is_dir()


def test_a_file_in_place_of_the_folder_is_one_sentence(tmp_path):
    path = tmp_path / "file"
    path.write_text("")
    with pytest.raises(InputError, match=r"bench needs a folder it can write to, got .*file"):
        results_folder(path)
