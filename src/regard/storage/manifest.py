"""The list of a folder's files with size and sha256, so that one changed byte is noticed.

safetensors checks its header, not its numbers: a flipped bit in a weight loads without a word.
"""

import json
import os
from hashlib import file_digest, sha256
from io import BufferedReader
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import Field, ValidationError

from regard.config import Config
from regard.errors import DamagedError, StorageError
from regard.json_text import parsed

from . import regular
from .regular import write_file

FORMAT = 1
"""Version of a checkpoint's layout; it rises when an older reader would misread a newer folder."""

NAME = "manifest.json"
LARGEST = 2**20
"""Bytes of a manifest, or of a config; a larger one is none."""


class Entry(Config):
    """What one file must look like."""

    size: int = Field(ge=0)
    """Bytes."""
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    """Digest of the contents, in hexadecimal."""


class Manifest(Config):
    """Every file of a folder but the manifest itself."""

    format: int = FORMAT
    """Version of the layout."""
    files: dict[str, Entry]
    """By path inside the folder, with ``/`` between its parts."""


def seal(folder: Path) -> Manifest:
    """List every file in ``folder`` and write the list beside them."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    files = {path.relative_to(folder).as_posix(): _entry(path) for path in paths}
    manifest = Manifest(files=files)
    write_file(folder / NAME, _to_bytes(manifest.model_dump()))
    return manifest


def read(folder: Path) -> Manifest:
    """The list that was written, its files not yet looked at.

    Raises:
        DamagedError: there is no manifest, or not the one that was written.
        StorageError: a newer regard wrote it.
    """
    path = folder / NAME
    try:
        with regular.opened(path) as file:
            data = file.read(LARGEST)
    except OSError as error:
        raise _unreadable(path, error) from None
    content = _unsealed(data, path)
    version = content.get("format")
    if version != FORMAT:
        raise StorageError(
            f"{folder} needs a regard that reads checkpoints of format {version!r}, and this one "
            f"reads format {FORMAT}; use the regard that wrote it, or a newer one"
        )
    try:
        manifest = Manifest.model_validate(content)
    except ValidationError:
        raise _damaged(path, "it is no list of files") from None
    if any(not _is_inside(name) for name in manifest.files):
        raise _damaged(path, "it names files outside its folder")
    return manifest


def verify(folder: Path) -> Manifest:
    """The manifest of ``folder``, every one of its files being what was written.

    Raises:
        DamagedError: naming the first file that is missing, cut short or changed.
        StorageError: a newer regard wrote it.
    """
    manifest = read(folder)
    for name, entry in manifest.files.items():
        path = folder / name
        with opened(folder, name, manifest) as file:
            try:
                digest = file_digest(file, "sha256").hexdigest()
            except OSError as error:
                raise _unreadable(path, error) from None
        _compare(path, digest, entry)
    return manifest


def contents(folder: Path, name: str, manifest: Manifest, *, most: int | None = None) -> bytes:
    """The bytes of one file, checked as they are read.

    Raises:
        DamagedError: the file is missing, not listed, or not what was written; or longer than
            ``most``.
    """
    path = folder / name
    with opened(folder, name, manifest) as file:
        try:
            data = file.read(most)
        except OSError as error:
            raise _unreadable(path, error) from None
    _compare(path, sha256(data).hexdigest(), manifest.files[name])
    return data


def opened(folder: Path, name: str, manifest: Manifest) -> BufferedReader:
    """One file to be read, of the size that it must have: a longer one is not read to its end.

    Raises:
        DamagedError: the file is missing, not listed, or of another size.
    """
    path = folder / name
    if name not in manifest.files:
        raise _damaged(path, "the manifest does not list it")
    try:
        file = regular.opened(path)
    except OSError as error:
        raise _unreadable(path, error) from None
    found, needed = os.fstat(file.fileno()).st_size, manifest.files[name].size
    if found != needed:
        file.close()
        raise _damaged(path, f"it has {found} bytes instead of {needed}")
    return file


def below(folder: Path, name: str, manifest: Manifest) -> dict[str, bytes]:
    """The bytes of all files of a folder inside, by their names in there, checked as they are read.

    What lies there too and is not listed is not looked at.

    Raises:
        DamagedError: a file is missing, or not what was written.
    """
    inside = f"{name}/"
    return {
        listed.removeprefix(inside): contents(folder, listed, manifest)
        for listed in manifest.files
        if listed.startswith(inside)
    }


def _entry(path: Path) -> Entry:
    with path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
        return Entry(size=file.tell(), sha256=digest)


def _compare(path: Path, digest: str, entry: Entry) -> None:
    if digest != entry.sha256:
        raise _damaged(path, "its sha256 is not the one in the manifest")


def _to_bytes(content: dict[str, Any]) -> bytes:
    """The one spelling of a manifest, ending with a seal: the digest of all the rest."""
    seal = sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    text = json.dumps({**content, "seal": seal}, indent=1, sort_keys=True)
    return f"{text}\n".encode()


def _unsealed(data: bytes, path: Path) -> dict[str, Any]:
    """What a manifest says, if every byte of it is the one that was written."""
    try:
        content = parsed(data)
        content.pop("seal")
        intact = _to_bytes(content) == data
    except (ValueError, AttributeError, TypeError, KeyError, RecursionError):
        intact = False
    if not intact:
        raise _damaged(path, "it is not the manifest that was written")
    return content


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and "\0" not in name


def _damaged(path: Path, how: str) -> DamagedError:
    return DamagedError(f"{path} is damaged: {how}; use another checkpoint")


def _unreadable(path: Path, error: OSError) -> StorageError:
    """A file one may not read can be whole; one that is away or on a bad sector is not."""
    if isinstance(error, PermissionError):
        return StorageError(f"{path} may not be read by this user; ask for the right to read it")
    missing = isinstance(error, FileNotFoundError)
    return _damaged(path, "it is missing" if missing else f"{error.strerror or error}")
