"""Resumable downloads."""

import http.client
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import cast
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from regard import __version__
from regard.errors import InputError, NetworkError

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
