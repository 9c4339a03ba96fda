"""Regular files only: what is opened here neither waits for ever, nor goes on for ever, nor is a
link out of the folder of a run that somebody else has made.

To be *read*, a link to a regular file will do: some installers link packages file by file. To be
*written*, it will not: what it points to is not the run's.
"""

import os
import stat
from io import BufferedReader, FileIO
from pathlib import Path

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
