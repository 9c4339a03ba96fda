"""A file is written complete, or not at all."""

import os
import stat

import pytest

from regard.cli.files import write
from regard.errors import InputError


def test_a_failure_half_way_leaves_the_old_file_and_nothing_else(tmp_path):
    file = tmp_path / "kept.txt"
    file.write_text("old")

    def half(out):
        out.write(b"ne")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(file, half)
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_new_file_has_the_rights_of_any_new_file(tmp_path):
    usual = os.umask(0o027)
    try:
        write(tmp_path / "page", lambda out: out.write(b"text"))
    finally:
        os.umask(usual)
    assert stat.S_IMODE((tmp_path / "page").stat().st_mode) == 0o640


def test_a_folder_in_the_place_of_the_file_is_a_mistake_of_the_user(tmp_path):
    with pytest.raises(InputError, match="cannot be written, Is a directory"):
        write(tmp_path, lambda out: out.write(b"text"))
    assert list(tmp_path.iterdir()) == []
    assert not list(tmp_path.parent.glob(f".{tmp_path.name}.*"))
