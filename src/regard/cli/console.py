"""What a command reads and where it prints: lines of text in, a console out.

Brackets and colons in names and paths are no markup. Lines that are there already come together;
nobody waits for more.
"""

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from select import select
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from ..errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

WIDTH_OF_A_FILE = 180
"""Columns where there is no terminal to ask; our tables are wide."""


def plain(**options: Any) -> "Console":
    """A console that prints every text as it is.

    Args:
        options: of :class:`rich.console.Console`.
    """
    from rich.console import Console

    return Console(markup=False, emoji=False, **options)


def for_tables(*, stderr: bool = False) -> "Console":
    """A console on stdout or stderr, as wide as its terminal, or as our tables without one."""
    console = plain(stderr=stderr)
    return console if console.is_terminal else plain(stderr=stderr, width=WIDTH_OF_A_FILE)


def speak_utf8() -> None:
    """Write UTF-8 whatever the locale says, as it is read."""
    change = getattr(sys.stdout, "reconfigure", None)
    if change is not None:
        change(encoding="utf-8", errors="replace")


BOM = b"\xef\xbb\xbf"
CHUNK = 2**16


@runtime_checkable
class Readable(Protocol):
    """A file of bytes; with ``read1`` too, it is asked for what is there by that."""

    def read(self, size: int, /) -> bytes:
        """Some bytes, none at the end."""

    def fileno(self) -> int:
        """The number that the system knows it by."""


def groups(texts: tuple[str, ...], file: Path | None, ahead: int) -> Iterator[list[str]]:
    """What is to be translated, as many lines together as are there, up to ``ahead``.

    A line ends with a newline only; one carriage return before it is left out, and so is the mark
    that begins some files. Bytes that are no UTF-8 become U+FFFD.

    Args:
        texts: of the command line, a line each.
        file: lines to be read if there is no text; the standard input if there is no file either.
        ahead: lines of a group at most.

    Raises:
        InputError: both were given, a text is the name of a file, or what is to be read cannot be.
    """
    if texts and file is not None:
        raise InputError("translate needs text or --file, got both")
    _require_no_file(texts)
    if texts:
        rest = iter(texts)
        while group := list(islice(rest, ahead)):
            yield group
        return
    try:
        if file is None:
            yield from _decoded(_stdin(), ahead)
            return
        with file.open("rb", buffering=0) as opened:
            yield from _decoded(opened, ahead)
    except (OSError, ValueError) as error:  # what no name may hold is a ValueError
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{file or 'stdin'}: cannot be read, {why}") from None


def _require_no_file(texts: tuple[str, ...]) -> None:
    """A word may be a file's name by chance; with an ending such as .txt, hardly."""
    for text in texts:
        path = Path(text)
        try:
            is_file = path.suffix != "" and path.is_file()
        except (OSError, ValueError):  # too long for a name, or what no name may hold
            is_file = False
        if is_file:
            raise InputError(f"{text} is a file: --file {text}?")


def _stdin() -> Readable:
    if sys.stdin is None:
        raise InputError("translate needs text, --file or lines on stdin, and stdin is closed")
    if sys.stdin.isatty():
        print("One sentence per line; Control-D ends.", file=sys.stderr)
    return sys.stdin.buffer


def _decoded(file: Readable, ahead: int) -> Iterator[list[str]]:
    first = True
    for group in arriving(file, ahead):
        if first:
            group[0] = group[0].removeprefix(BOM)
            first = False
        yield [line.removesuffix(b"\r").decode("utf-8", errors="replace") for line in group]


def arriving(file: Readable, ahead: int) -> Iterator[list[bytes]]:
    """Lines without their newlines, as many together as are there, up to ``ahead``.

    A file comes in groups of ``ahead``; what somebody types, line by line.

    Args:
        file: where from; nothing else may read it.
        ahead: lines of a group at most.
    """
    waiting: list[bytes] = []
    start: list[bytes] = []  # of a line whose end has not come
    while chunk := _some(file):
        first, *others = chunk.split(b"\n")
        start.append(first)
        if others:
            waiting += [b"".join(start), *others[:-1]]
            start = others[-1:]
        while len(waiting) >= ahead or (waiting and not _more(file)):
            yield waiting[:ahead]
            waiting = waiting[ahead:]
    last = b"".join(start)
    waiting += [last] if last else []
    while waiting:
        yield waiting[:ahead]
        waiting = waiting[ahead:]


def _some(file: Readable) -> bytes:
    """What is there, waiting only if that is nothing."""
    at_once = getattr(file, "read1", file.read)
    return at_once(CHUNK)


def _more(file: Readable) -> bool:
    """Whether more can be read without waiting; where that cannot be known, yes."""
    try:
        return bool(select([file.fileno()], [], [], 0)[0])
    except (OSError, ValueError, TypeError):
        return True
