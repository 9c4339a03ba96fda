"""Fetch a dataset into a folder: download, unpack, check sha256, record the licence."""

import gzip
import hashlib
import json
import shutil
import zipfile
import zlib
from collections.abc import Callable
from io import BufferedReader, BufferedWriter
from pathlib import Path
from typing import Any

from regard.errors import InputError

from ..files import write_whole
from .dataset import Dataset, Part
from .download import download, forget

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
        record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
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
    write_whole(folder / ORIGIN, (json.dumps(record, indent=2) + "\n").encode())
