"""One run per folder: a lock that dies with the process which holds it."""

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from regard.errors import BusyError, StorageError
from regard.json_text import parsed

from .regular import IrregularError, descriptor

NAME = ".lock"

_held: set[int] = set()


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Keep every other run out of ``folder`` while the block runs.

    The system releases the lock when the process ends, however it ends. The lock file stays; only
    who holds it may delete it, and a lock on a file that was deleted meanwhile is none.

    Raises:
        BusyError: another run holds the folder; the message says which.
        StorageError: the folder cannot be written to, or its disk knows no locks.
    """
    number = _locked(folder)
    try:
        _sign(number)
        yield
    finally:
        _let_go(number)


def _locked(folder: Path) -> int:
    while True:
        number = _opened(folder)
        _held.add(number)
        try:
            _lock(number, folder)
            if _is_there(number, folder):
                return number
        except BaseException:
            _let_go(number)
            raise
        _let_go(number)


def _let_go(number: int) -> None:
    if number in _held:  # a forked child has closed it already
        _held.remove(number)
        os.close(number)


def _is_there(number: int, folder: Path) -> bool:
    """Whether the open file is the one that has its name."""
    try:
        return os.path.samestat(os.fstat(number), (folder / NAME).lstat())
    except FileNotFoundError:
        return False


def _opened(folder: Path) -> int:
    try:
        return descriptor(folder / NAME)
    except IrregularError as error:
        raise StorageError(
            f"{folder / NAME} needs to be a lock, and {error.strerror}; delete it"
        ) from None
    except OSError as error:
        raise _no_lock(folder, error) from None


def _lock(number: int, folder: Path) -> None:
    try:
        import fcntl
    except ImportError:
        raise StorageError(
            f"{folder} needs a lock, and this system has no flock; train under Linux, macOS or WSL"
        ) from None
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BusyError(
            f"{folder} is in use by {_holder(number)}; wait until it ends, or name another folder"
        ) from None
    except OSError as error:
        raise _no_lock(folder, error) from None


def _sign(number: int) -> None:
    owner = json.dumps({"process": os.getpid(), "host": socket.gethostname()}).encode()
    with suppress(OSError):  # the name is for messages only: a full disk must not cost the lock
        os.pwrite(number, owner, 0)
        os.ftruncate(number, len(owner))


def _holder(number: int) -> str:
    try:
        owner = parsed(os.pread(number, 4096, 0))
        return f"process {owner['process']} on {owner['host']}"
    except (ValueError, KeyError, TypeError):
        return "another process"


def _no_lock(folder: Path, error: OSError) -> StorageError:
    return StorageError(
        f"{folder} needs a lock, and none can be had, {error.strerror or error}; "
        "name a folder you may write to"
    )


def _let_go_in_child() -> None:
    """A worker that outlives a killed run must not keep its lock."""
    for number in _held:
        os.close(number)
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go_in_child)
