"""Datasets from a server on this machine: resumed, unpacked, checked."""

import gzip
import io
import json
import threading
import zipfile
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from regard.data.datasets import DATASETS, Dataset, Part, get
from regard.data.datasets.get import download
from regard.errors import InputError, NetworkError

CONTENT = b"".join(b"line %d\n" % number for number in range(30_000))


class Server(ThreadingHTTPServer):
    """Serves one file, with ranges, and keeps what was asked for."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.content = CONTENT
        self.tag: str | None = '"one"'
        self.ranges = True
        self.cuts: list[int] = []
        self.asked: list[str | None] = []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/file"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        wanted = self.headers.get("Range")
        server.asked.append(wanted)
        if self.path != "/file":
            self.send_error(404)
            return
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and server.ranges else 0
        if self.headers.get("If-Range", server.tag) != server.tag:
            start = 0
        total = len(server.content)
        if start >= total > 0:
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{total}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{total - 1}/{total}")
        if server.tag:
            self.send_header("ETag", server.tag)
        body = server.content[start:]
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: server.cuts.pop(0)] if server.cuts else body)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    served = Server()
    thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield served
    served.shutdown()
    thread.join()
    served.server_close()


def dataset(url, **part):
    digest = {"sha256": sha256(CONTENT).hexdigest(), **part}
    return Dataset("toy", "a toy", "CC0", "nobody", (Part(url, "toy.txt", **digest),))


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_fetched_checked_and_its_licence_kept(server, tmp_path):
    told = []
    (path,) = get(dataset(server.url), tmp_path / "new", told.append)
    assert path.read_bytes() == CONTENT
    assert told[0] == "toy: licence CC0; from nobody"
    assert names(tmp_path / "new") == ["ORIGIN.json", "toy.txt"]
    record = json.loads((tmp_path / "new" / "ORIGIN.json").read_text())
    assert (record["licence"], record["urls"]) == ("CC0", [server.url])
    assert record["sha256"] == {"toy.txt": sha256(CONTENT).hexdigest()}


def test_the_folder_may_be_text(server, tmp_path):
    assert get(dataset(server.url), str(tmp_path), print) == [tmp_path / "toy.txt"]


def test_a_file_that_is_there_is_not_fetched_again(server, tmp_path):
    for _ in range(2):
        get(dataset(server.url), tmp_path, print)
    assert server.asked == [None]


def test_a_broken_connection_goes_on_where_it_stopped(server, tmp_path):
    server.cuts = [100_000, 50_000]
    (path,) = get(dataset(server.url), tmp_path, print)
    assert path.read_bytes() == CONTENT
    assert server.asked == [None, "bytes=100000-", "bytes=150000-"]


def test_a_connection_that_gives_nothing_more_ends_and_keeps_what_came(server, tmp_path):
    server.cuts = [100_000, 0]
    with pytest.raises(
        NetworkError, match=r"127\.0\.0\.1, but .* \(100,000 bytes came and are kept\)"
    ):
        get(dataset(server.url), tmp_path, print)
    assert not (tmp_path / "toy.txt").exists()
    (path,) = get(dataset(server.url), tmp_path, print)
    assert path.read_bytes() == CONTENT
    assert server.asked[-1] == "bytes=100000-"


@pytest.mark.parametrize(("ranges", "tag"), [(False, '"one"'), (True, None), (True, 'W/"weak"')])
def test_a_server_without_ranges_or_versions_starts_again(server, tmp_path, ranges, tag):
    server.ranges, server.tag, server.cuts = ranges, tag, [100_000]
    assert get(dataset(server.url), tmp_path, print)[0].read_bytes() == CONTENT


def test_halves_of_two_versions_are_never_put_together(server, tmp_path):
    part = tmp_path / "part"
    server.cuts = [100_000, 0]
    with pytest.raises(NetworkError):
        download(server.url, part)
    server.content, server.tag = CONTENT.upper(), '"two"'
    download(server.url, part)
    assert part.read_bytes() == CONTENT.upper()


def test_a_whole_half_file_is_recognised_and_a_longer_one_fetched_again(server, tmp_path):
    part = tmp_path / "part"
    download(server.url, part)
    for content in (CONTENT, CONTENT + b"more"):
        part.write_bytes(content)
        download(server.url, part)
        assert part.read_bytes() == CONTENT
    size = len(CONTENT)
    assert server.asked == [None, f"bytes={size}-", f"bytes={size + 4}-", None]


def test_another_file_than_expected_is_refused_and_leaves_nothing(server, tmp_path):
    server.content = CONTENT[:-1]
    with pytest.raises(InputError, match=r"/file: needs a file of sha256 [0-9a-f]{64}, got "):
        get(dataset(server.url), tmp_path, print)
    assert names(tmp_path) == []


def test_a_file_that_was_changed_on_disk_is_not_overwritten(server, tmp_path):
    (tmp_path / "toy.txt").write_text("mine")
    with pytest.raises(InputError, match=r"toy\.txt: is there, but is not the file of the dataset"):
        get(dataset(server.url), tmp_path, print)
    assert (tmp_path / "toy.txt").read_text() == "mine"


def test_without_a_published_digest_the_first_one_is_remembered(server, tmp_path):
    toy = dataset(server.url, sha256=None)
    get(toy, tmp_path, print)
    get(toy, tmp_path, print)
    (tmp_path / "toy.txt").write_text("other")
    with pytest.raises(InputError, match=f"its sha256 should be {sha256(CONTENT).hexdigest()}"):
        get(toy, tmp_path, print)


def zipped(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def test_gzip_and_zip_are_unpacked(server, tmp_path):
    server.content = gzip.compress(CONTENT)
    (path,) = get(dataset(server.url, packing="gzip"), tmp_path / "gzip", print)
    assert path.read_bytes() == CONTENT
    server.content = zipped(readme=b"about", pairs=CONTENT)
    (path,) = get(dataset(server.url, packing="zip", member="pairs"), tmp_path / "zip", print)
    assert path.read_bytes() == CONTENT
    assert names(tmp_path / "zip") == ["ORIGIN.json", "toy.txt"]


@pytest.mark.parametrize(
    ("packing", "content"),
    [
        ("gzip", b"plain"),
        ("gzip", gzip.compress(CONTENT, mtime=0)[:-20]),
        ("zip", b"plain"),
        ("zip", zipped()),
    ],
)
def test_a_packed_file_that_is_none_is_refused(server, tmp_path, packing, content):
    server.content = content
    with pytest.raises(InputError, match=f"/file: needs a {packing} file, got another"):
        get(dataset(server.url, packing=packing, member="pairs"), tmp_path, print)
    assert names(tmp_path) == []


def test_a_server_that_refuses_is_quoted(server, tmp_path):
    with pytest.raises(NetworkError, match=r"/none: the server answered 404 Not Found"):
        get(dataset(server.url.replace("file", "none")), tmp_path, print)


def test_without_network_one_sentence_says_so(server, tmp_path):
    url = server.url
    server.server_close()
    with pytest.raises(NetworkError, match=r"network that reaches 127\.0\.0\.1, but .*; run"):
        get(dataset(url), tmp_path, print)


def test_a_folder_that_cannot_be_made_is_named(server, tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match=r"file: cannot be made, File exists"):
        get(dataset(server.url), tmp_path / "file", print)


def test_every_dataset_names_licence_origin_and_secure_addresses():
    assert "tatoeba-en-fr" in DATASETS
    for name in DATASETS:
        known = DATASETS[name]
        assert known.name == name
        assert known.licence and known.origin and known.summary
        assert len({part.name for part in known.parts}) == len(known.parts) > 0
        for part in known.parts:
            assert part.url.startswith("https://")
            assert part.sha256 is None or len(bytes.fromhex(part.sha256)) == 32
            assert (part.packing == "zip") == (part.member is not None)
