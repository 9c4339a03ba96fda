"""Lines out of files: endings, marks, compression, and what is wrong with them."""

import gzip
import io
import sys
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.data.pairs import lines as module
from regard.data.pairs.lines import lines, zip_lines
from regard.errors import InputError


def texts(path):
    return [line.text for line in lines(path)]


def put(path, content: bytes):
    path.write_bytes(content)
    return path


def test_lf_crlf_and_a_missing_last_end_give_the_same_lines(tmp_path):
    for content in (b"un\ndeux\n\ntrois\n", b"un\r\ndeux\r\n\r\ntrois\r\n", b"un\ndeux\n\ntrois"):
        assert texts(put(tmp_path / "a", content)) == ["un", "deux", "", "trois"]


def test_lines_know_their_file_and_number(tmp_path):
    path = put(tmp_path / "a.txt", b"x\ny\n")
    assert [str(line.place) for line in lines(path)] == [f"{path}, line 1", f"{path}, line 2"]


def test_a_byte_order_mark_is_left_out_at_the_start_only(tmp_path):
    mark = b"\xef\xbb\xbf"
    assert texts(put(tmp_path / "a", mark + b"un\n" + mark + b"deux\n")) == ["un", "\ufeffdeux"]


def test_only_line_feeds_end_a_line(tmp_path):
    text = "a\u2028b\x0bc\x85d\x1ce"
    assert texts(put(tmp_path / "a", text.encode() + b"\n")) == [text]


def test_gzip_is_known_by_its_bytes_and_not_by_its_name(tmp_path):
    assert texts(put(tmp_path / "plain", gzip.compress(b"un\ndeux\n", mtime=0))) == ["un", "deux"]
    assert texts(put(tmp_path / "not.gz", b"un\ndeux\n")) == ["un", "deux"]


@pytest.mark.parametrize("content", [b"un\ndeux\n", gzip.compress(b"un\ndeux\n", mtime=0)])
def test_the_standard_input_is_read_plain_or_packed(monkeypatch, content):
    stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(content)))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert texts("-") == ["un", "deux"]


def test_the_standard_input_has_a_name_in_messages(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(b""))))
    with pytest.raises(InputError, match=r"^standard input, line 1: needs at least one line"):
        texts("-")


@pytest.mark.parametrize("content", [b"", gzip.compress(b"", mtime=0)])
def test_an_empty_file_is_refused(tmp_path, content):
    path = put(tmp_path / "a.txt", content)
    with pytest.raises(InputError, match=r"a\.txt, line 1: needs at least one line, .* is empty"):
        texts(path)


def test_bytes_that_are_no_utf8_are_named_by_line_and_place(tmp_path):
    path = put(tmp_path / "a.txt", "été\n".encode() + "été\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"a\.txt, line 2: needs UTF-8, got byte 0xe9 at byte 1;"):
        texts(path)


def test_a_missing_file_and_a_folder_are_told_in_one_sentence(tmp_path):
    with pytest.raises(InputError, match=r"nowhere: cannot be read, No such file"):
        texts(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"cannot be read, Is a directory"):
        texts(tmp_path)


def test_a_line_at_the_limit_is_read_and_one_above_it_refused(tmp_path):
    limit = 10 * 2**20
    path = put(tmp_path / "a.txt", b"x\n" + b"y" * limit + b"\r\nz\n")
    assert [len(text) for text in texts(path)] == [1, limit, 1]
    path = put(tmp_path / "a.txt", b"x\n" + b"y" * (limit + 1) + b"\n")
    with pytest.raises(InputError, match=r"a\.txt, line 2: needs lines of at most 10,485,760"):
        texts(path)


def test_a_packed_line_without_end_does_not_fill_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MAX_LINE_BYTES", 10_000)
    path = put(tmp_path / "bomb.gz", gzip.compress(b"0" * 20_000_000))
    tracemalloc.start()
    with pytest.raises(InputError, match="line 1: needs lines of at most"):
        texts(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000_000


@pytest.mark.parametrize("damage", [lambda b: b[:-9], lambda b: b[:12] + b"\xff\xff\xff" + b[15:]])
def test_a_damaged_gzip_file_is_refused_with_its_name(tmp_path, damage):
    packed = gzip.compress("\n".join(map(str, range(500))).encode())
    with pytest.raises(InputError, match=r"a\.gz, line \d+: the file is damaged"):
        texts(put(tmp_path / "a.gz", damage(packed)))


def test_parallel_files_are_read_side_by_side(tmp_path):
    paths = tuple(
        put(tmp_path / n, c) for n, c in (("a", b"1\n2\n"), ("b", b"x\ny"), ("c", b"\n\n"))
    )
    assert [tuple(line.text for line in row) for row in zip_lines(paths)] == [
        ("1", "x", ""),
        ("2", "y", ""),
    ]


def test_a_file_that_ends_early_is_named_with_the_line(tmp_path):
    paths = put(tmp_path / "long.en", b"1\n2\n3\n"), put(tmp_path / "short.fr", b"1\n2\n")
    message = r"short\.fr, line 3: needs as many lines as .*long\.en, but ends after line 2"
    for order in (paths, paths[::-1]):
        with pytest.raises(InputError, match=message):
            list(zip_lines(order))


@given(st.lists(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]))))
def test_any_lines_come_back(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("lines") / "a"
    rows = ["first", *rows]
    put(path, "".join(f"{row}\r\n" for row in rows).encode())
    assert texts(path) == rows
