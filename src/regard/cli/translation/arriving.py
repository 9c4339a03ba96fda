"""Lines as they come in: those that are there already together, no waiting for more."""

from collections.abc import Iterator
from select import select
from typing import Protocol, runtime_checkable

CHUNK = 2**16


@runtime_checkable
class Readable(Protocol):
    """A file of bytes; with ``read1`` too, it is asked for what is there by that."""

    def read(self, size: int, /) -> bytes:
        """Some bytes, none at the end."""

    def fileno(self) -> int:
        """The number that the system knows it by."""


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
