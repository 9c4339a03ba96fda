"""Fetch a dataset into a folder: download, unpack, check sha256, record the licence."""

import gzip
import hashlib
import http.client
import json
import os
import re
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterator
from io import BufferedReader, BufferedWriter
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from regard import __version__
from regard.errors import InputError, NetworkError
from regard.json_text import parsed

from ..files import write_whole
from .catalogue import Dataset, Part


class Origin(NamedTuple):
    """Whom to name, and under which terms."""

    origin: str
    licence: str

    def __str__(self) -> str:
        return f"{self.origin}; licence {self.licence}"


def origin_of(file: Path) -> Origin | None:
    """What lies beside a file that was fetched; ``None`` beside any other."""
    try:
        content = parsed((file.parent / ORIGIN).read_text(encoding="utf-8"))
        return Origin(str(content["origin"]), str(content["licence"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


TIMEOUT_SECONDS = 30.0
CHUNK_BYTES = 2**16

_NETWORK = (URLError, http.client.HTTPException, TimeoutError, ConnectionError)


def download(url: str, part: Path) -> None:
    """Fetch ``url`` into ``part``, keeping what is already there if the server can go on from it.

    A connection that breaks is taken up again as long as more bytes come. What came stays in
    ``part``, also after an error. A server that names no version of the file (ETag or
    Last-Modified) has to send all of it again.

    Raises:
        NetworkError: no network, a server that refuses, or a connection that breaks for good.
        InputError: the file cannot be written.
    """
    while True:
        before = _size(part)
        try:
            if _fetch(url, part):
                return
        except HTTPError as error:
            raise NetworkError(f"{url}: the server answered {error.code} {error.reason}") from None
        except _NETWORK as error:
            if _size(part) == before:
                raise _unreachable(url, part, error) from None
        else:
            if _size(part) == before:
                raise _unreachable(url, part, "the connection broke")


def _fetch(url: str, part: Path) -> bool:
    """Append what is missing, or start again; whether the whole is there now."""
    have = _size(part)
    try:
        answer = urlopen(_request(url, part), timeout=TIMEOUT_SECONDS)
        response = cast(http.client.HTTPResponse, answer)
    except HTTPError as error:
        if error.code != 416 or not have:
            raise
        if _total(error.headers.get("Content-Range", "")) == have:
            return True
        part.unlink()  # the file is another one now
        return _fetch(url, part)
    with response:
        continues = response.status == 206 and _start(response.headers) == have
        _remember(part, response.headers)
        expected = response.headers.get("Content-Length")
        came = _write(part, "ab" if continues else "wb", _chunks(response))
    return expected is None or came == int(expected)


def _request(url: str, part: Path) -> Request:
    headers = {"User-Agent": f"regard/{__version__}"}
    if _size(part) and _version(part).exists():
        headers["Range"] = f"bytes={_size(part)}-"
        headers["If-Range"] = _version(part).read_text(encoding="latin-1")
    return Request(url, headers=headers)


def _chunks(response: http.client.HTTPResponse) -> Iterator[bytes]:
    while chunk := response.read(CHUNK_BYTES):
        yield chunk


def _write(part: Path, mode: str, chunks: Iterator[bytes]) -> int:
    """Write all chunks and return their size; an error of the network passes through."""
    came = 0
    try:
        with part.open(mode) as file:
            for chunk in chunks:
                came += file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
    except _NETWORK:
        raise
    except OSError as error:
        raise InputError(f"{part}: cannot be written, {error.strerror or error}") from None
    return came


def _start(headers: http.client.HTTPMessage) -> int | None:
    found = re.match(r"bytes (\d+)-", headers.get("Content-Range", ""))
    return int(found[1]) if found else None


def _total(content_range: str) -> int | None:
    found = re.search(r"/(\d+)$", content_range)
    return int(found[1]) if found else None


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0


def _version(part: Path) -> Path:
    """Where it is written which version a half file is of."""
    return part.with_name(part.name + ".version")


def _remember(part: Path, headers: http.client.HTTPMessage) -> None:
    """Keep the version, so that halves of two versions are never put together."""
    tag = headers.get("ETag", "W/")
    version = headers.get("Last-Modified") if tag.startswith("W/") else tag
    if version is None:
        _version(part).unlink(missing_ok=True)
    else:
        _version(part).write_text(version, encoding="latin-1")


def forget(part: Path) -> None:
    """Remove a half file."""
    part.unlink(missing_ok=True)
    _version(part).unlink(missing_ok=True)


def _unreachable(url: str, part: Path, error: object) -> NetworkError:
    reason = getattr(error, "reason", error)
    kept = f" ({_size(part):,} bytes came and are kept)" if _size(part) else ""
    return NetworkError(
        f"{url} needs a network that reaches {urlsplit(url).hostname}, but {reason}{kept}; "
        "run the command again once it does"
    )


ORIGIN = "ORIGIN.json"
"""The file which says where the others are from, their licence and their sha256."""


def get(dataset: Dataset, folder: Path | str, tell: Callable[[str], object]) -> list[Path]:
    """All files of ``dataset`` in ``folder``; those which are there already are only checked.

    Args:
        dataset: what.
        folder: where to; it is made.
        tell: is told what happens, one line at a time.

    Raises:
        NetworkError: the network is missing or breaks; what came is kept for the next time.
        InputError: a file that is not the expected one, or cannot be written.
    """
    folder = Path(folder)
    tell(f"{dataset.name}: licence {dataset.licence}; from {dataset.origin}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made, {error.strerror}") from None
    known = _recorded(folder)
    for part in dataset.parts:
        path = folder / part.name
        expected = part.sha256 or known.get(part.name)
        if path.exists():
            _check(path, expected)
            tell(f"{path} is there already")
        else:
            tell(f"{path} from {part.url}")
            known[part.name] = _fetched(part, path)
            _record(folder, dataset, known)
    return [folder / part.name for part in dataset.parts]


def digest(path: Path) -> str:
    """The sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check(path: Path, expected: str | None) -> None:
    if expected is not None and digest(path) != expected:
        raise InputError(
            f"{path}: is there, but is not the file of the dataset (its sha256 should be "
            f"{expected}); move it away, or name another folder with --out"
        )


def _fetched(part: Part, path: Path) -> str:
    """Fetch, unpack and check one file, then put it in its place; its sha256."""
    half = path.with_name(f".{part.name}.part")
    whole = path.with_name(f".{part.name}.whole")
    download(part.url, half)
    try:
        _unpack(part, half, whole)
        came = digest(whole)
        if part.sha256 is not None and came != part.sha256:
            forget(half)
            raise InputError(
                f"{part.url}: needs a file of sha256 {part.sha256}, got {came}; the file at the "
                "origin changed or was damaged on the way, try again"
            )
        whole.replace(path)
    finally:
        whole.unlink(missing_ok=True)
    forget(half)
    return came


def _unpack(part: Part, half: Path, whole: Path) -> None:
    """Raises: InputError: what came is no archive of this kind."""
    try:
        with half.open("rb") as packed, whole.open("wb") as plain:
            _copy(part, packed, plain)
    except (zipfile.BadZipFile, gzip.BadGzipFile, EOFError, zlib.error, KeyError) as error:
        forget(half)
        raise InputError(f"{part.url}: needs a {part.packing} file, got another; {error}") from None
    except OSError as error:
        raise InputError(f"{whole}: cannot be written, {error.strerror or error}") from None


def _copy(part: Part, packed: BufferedReader, plain: BufferedWriter) -> None:
    if part.packing == "gzip":
        with gzip.GzipFile(fileobj=packed) as content:
            shutil.copyfileobj(content, plain)
    elif part.packing == "zip":
        with zipfile.ZipFile(packed) as archive, archive.open(part.member or part.name) as content:
            shutil.copyfileobj(content, plain)
    else:
        shutil.copyfileobj(packed, plain)


def _recorded(folder: Path) -> dict[str, str]:
    """The sha256 of files that were fetched before."""
    path = folder / ORIGIN
    if not path.exists():
        return {}
    try:
        record: dict[str, Any] = parsed(path.read_text(encoding="utf-8"))
        return {str(name): str(value) for name, value in record["sha256"].items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        raise InputError(f"{path}: cannot be read; move it away") from None


def _record(folder: Path, dataset: Dataset, known: dict[str, str]) -> None:
    record = {
        "name": dataset.name,
        "licence": dataset.licence,
        "origin": dataset.origin,
        "urls": [part.url for part in dataset.parts],
        "sha256": known,
    }
    content = (json.dumps(record, indent=2) + "\n").encode()
    write_whole(folder / ORIGIN, lambda file: file.write(content))
