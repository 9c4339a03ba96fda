"""Safe access to files: regular ones only, folders written atomically and flushed to the disk.

What is opened here neither waits for ever, nor goes on for ever, nor is a link out of the folder
of a run that somebody else has made.

To be *read*, a link to a regular file will do: some installers link packages file by file. To be
*written*, it will not: what it points to is not the run's.

A folder is made under a draft name beside its place, every file and folder in it is flushed to the
disk, and one rename puts it in its place. A reader never meets half a folder, whenever the writer
dies; what a dead writer leaves behind is a draft, which :func:`sweep` removes.
"""

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader, FileIO
from pathlib import Path
from secrets import token_hex

_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_ITSELF = getattr(os, "O_NOFOLLOW", 0)


class IrregularError(OSError):
    """Something else under the name of a file: a link, a folder, a pipe, a device."""

    def __init__(self, path: Path, mode: int) -> None:
        kinds = {stat.S_ISLNK: "a link", stat.S_ISDIR: "a folder", stat.S_ISFIFO: "a pipe"}
        kind = next((name for is_one, name in kinds.items() if is_one(mode)), "a device")
        super().__init__(None, f"it is {kind} and no file of its own", str(path))


def opened(path: Path) -> BufferedReader:
    """A file to be read.

    Raises:
        IrregularError: it is not a regular file, nor a link to one.
        OSError: it is not there, or may not be read.
    """
    # Asked before it is opened, since to open a device can do something; and after, to be sure.
    _require_regular(path, path.stat().st_mode)
    file = FileIO(path, opener=lambda name, flags: os.open(name, flags | _AT_ONCE))
    try:
        _require_regular(path, os.fstat(file.fileno()).st_mode)
    except OSError:
        file.close()
        raise
    return BufferedReader(file)


def descriptor(path: Path, *, flags: int = 0) -> int:
    """A file to be read and written, made if need be.

    Args:
        path: its name.
        flags: further ones for :func:`os.open`.

    Raises:
        IrregularError: something else has its name, such as a link.
        OSError: it cannot be made or written to.
    """
    if path.is_symlink():
        raise IrregularError(path, path.lstat().st_mode)
    number = os.open(path, os.O_RDWR | os.O_CREAT | _ITSELF | _AT_ONCE | flags, 0o666)
    try:
        _require_regular(path, os.fstat(number).st_mode)
    except OSError:
        os.close(number)
        raise
    return number


def _require_regular(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise IrregularError(path, mode)


DRAFT = ".draft-"
"""How the names of unfinished and of doomed folders begin."""


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A draft to fill, which becomes ``target`` when the block ends without an error.

    Args:
        target: a name that is not taken, in a folder that exists.

    Raises:
        OSError: the disk is full, the folder is read-only, the name is taken; no trace is left.
    """
    draft = _draft_name(target)
    try:
        draft.mkdir()
        yield draft
        sync_tree(draft)
        draft.rename(target)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    sync(target.parent)


def discard(folder: Path) -> None:
    """Delete ``folder``; whoever looks on finds it whole or not at all."""
    doomed = _draft_name(folder)
    folder.rename(doomed)
    shutil.rmtree(doomed)


def sweep(parent: Path) -> None:
    """Delete the drafts in ``parent``. Only for one who knows that nobody is writing there."""
    for draft in parent.glob(f"{DRAFT}*"):
        if draft.is_dir() and not draft.is_symlink():
            shutil.rmtree(draft)


def write_file(path: Path, data: bytes) -> None:
    """Write a new file. One call of the system may take only a part of ``data``: ask again."""
    rest = memoryview(data)
    with path.open("xb", buffering=0) as file:
        while rest:
            rest = rest[file.write(rest) :]


def sync_tree(folder: Path) -> None:
    """Wait until every file and folder under ``folder``, and itself, is on the disk."""
    for path in sorted(folder.rglob("*")):
        sync(path)
    sync(folder)


def sync(path: Path) -> None:
    """Wait until a file's contents, or a folder's list of names, are on the disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _draft_name(folder: Path) -> Path:
    return folder.with_name(f"{DRAFT}{folder.name}-{token_hex(4)}")
