"""The numbers of a run over time: one JSON object per line, each with its ``step``.

Steps never go back in the file, so a resumed run cuts the file after the step it resumes from, and
a curve has every step once.
"""

import json
import math
import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from regard.json_text import parsed
from regard.storage import regular
from regard.storage.regular import IrregularError, descriptor

from ..errors import InputError, RangeError, StorageError
from ..types import PathLike

Value = float | int | str | bool | list[str] | None

BEGINNING = b'{"step": '
"""Of every line."""


def read(path: PathLike) -> list[dict[str, Any]]:
    """The lines of a log. The last one is left out when a dying writer cut it short.

    Raises:
        InputError: a line is not of a log; the message says which one.
    """
    path = Path(path)
    data = _contents(path)
    lines = data[: data.rfind(b"\n") + 1].splitlines()
    return [_entry(line, path, number) for number, line in enumerate(lines, start=1)]


class Log:
    """A log being written; see :func:`opened`.

    Args:
        number: descriptor of a file open for appending.
        path: its name, for messages.
        step: last step in it.
    """

    def __init__(self, number: int, path: Path, *, step: int) -> None:
        self.path = path
        self.step = step
        self._number = number

    def write(self, step: int, **values: Value) -> None:
        """Append one line, whole or not at all. What is no number becomes ``null``, as JSON asks.

        Raises:
            RangeError: ``step`` lies before one that is in the log already.
            StorageError: the disk is full; the log is as before.
        """
        if step < self.step:
            raise RangeError(
                f"a log needs steps that never go back, got {step} after {self.step}; "
                "open it at the step to go on from"
            )
        line = json.dumps({"step": step, **_finite(values)}, allow_nan=False).encode() + b"\n"
        before = os.fstat(self._number).st_size
        try:
            _write_all(self._number, line)
        except OSError as error:
            os.ftruncate(self._number, before)
            raise _unwritable(self.path, error) from None
        self.step = step

    def sync(self) -> None:
        """Wait until every line is on the disk; call it before a checkpoint that relies on them."""
        try:
            os.fsync(self._number)
        except OSError as error:
            raise _unwritable(self.path, error) from None


@contextmanager
def opened(path: PathLike, *, step: int | None = None) -> Iterator[Log]:
    """The log at ``path`` with its lines up to ``step``, to be gone on with.

    Write and :meth:`~Log.sync` the lines of a step before its checkpoint: what is written after it
    may be lost with the run, and is not written again by the one that resumes.

    Args:
        path: the file, made if need be.
        step: the step the run resumes from; without it, the log starts anew, and one that is there
            already is put aside under the first name such as ``log.jsonl.1`` that is free.

    Raises:
        InputError: a line is not of a log; nothing is cut off then.
        StorageError: the file cannot be written, or is a link or something else than a file.
    """
    path = Path(path)
    try:
        number = _begun(path) if step is None else _appending(path)
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        if step is not None:
            _cut(number, path, step)
        yield Log(number, path, step=step or 0)
    finally:
        os.close(number)


def _begun(path: Path) -> int:
    """A new log; what was there before is somebody's, and stays."""
    number = _appending(path)
    if not os.fstat(number).st_size:
        return number
    os.close(number)
    count = 1
    while (aside := path.with_name(f"{path.name}.{count}")).exists() or aside.is_symlink():
        count += 1
    path.rename(aside)
    warnings.warn(f"{path} was there already: it is {aside.name} now", stacklevel=5)
    return _appending(path)


def _appending(path: Path) -> int:
    return descriptor(path, flags=os.O_APPEND)


def _cut(number: int, path: Path, step: int) -> None:
    """Leave the lines up to ``step``."""
    with os.fdopen(os.dup(number), "rb") as file:
        data = file.read()
    keep = _length(data, path, step)
    if keep < len(data):
        os.ftruncate(number, keep)
        os.fsync(number)


def _length(data: bytes, path: Path, step: int) -> int:
    """How many bytes hold the lines up to ``step``.

    A line that cannot be read is what a dying writer left if it is the last one and looks like it.
    """
    keep = end = 0
    unreadable: InputError | None = None
    for number, line in enumerate(data.splitlines(keepends=True), start=1):
        end += len(line)
        try:
            entry = _entry(line, path, number)
        except InputError as error:
            unreadable = unreadable or error
            continue
        if entry["step"] > step or not line.endswith(b"\n"):
            break
        if unreadable:
            raise unreadable
        keep = end
    if unreadable and not _is_torn(data[keep:]):
        raise unreadable
    return keep


def _is_torn(end: bytes) -> bool:
    """Whether a dying writer can have left it: the beginning of a line of ours, or blocks of zeros
    that never reached the disk."""
    written = end.strip(b"\0\n")
    return b"\n" not in written and written[: len(BEGINNING)] == BEGINNING[: len(written)]


def _entry(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        entry = parsed(line)
        if type(entry["step"]) is int:
            return entry
    except (ValueError, TypeError, KeyError):
        pass
    raise InputError(
        f"{path}, line {number}: a log needs a JSON object with a step in every line, "
        f"got {line[:40]!r}; mend or delete the line"
    )


def _contents(path: Path) -> bytes:
    try:
        with regular.opened(path) as file:
            return file.read()
    except OSError as error:
        raise InputError(f"{path} cannot be read, {error.strerror or error}") from None


def _finite(values: Mapping[str, Value]) -> dict[str, Value]:
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in values.items()
    }


def _write_all(number: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(number, rest) :]


def _unwritable(path: Path, error: OSError) -> StorageError:
    advice = "delete it" if isinstance(error, IrregularError) else "make room"
    return StorageError(
        f"{path} cannot be written, {error.strerror or error}; {advice} or name another folder"
    )
