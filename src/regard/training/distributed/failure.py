"""When processes fail: one of them says why, and all end."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, runtime_checkable

FAILED = 1
"""Exit code of a process that ends because another one failed."""
_FAILURES = "regard/failures"


@runtime_checkable
class Tally(Protocol):
    """What all processes count together, such as the store that they met at."""

    def add(self, key: str, amount: int) -> int:
        """Count on, and give the count that it came to."""


@contextmanager
def one_voice(tally: Tally) -> Iterator[None]:
    """The first process that fails in the block raises its error, the others end without a word.

    One mistake mostly fails them all: the same bad file, the same step without a number, or a
    neighbour that is gone. Processes that wait for one that failed are ended by ``torchrun``.

    Args:
        tally: of all processes.

    Raises:
        SystemExit: another process failed before this one.
    """
    try:
        yield
    except Exception:
        if not _first_to_fail(tally):
            raise SystemExit(FAILED) from None
        raise


def _first_to_fail(tally: Tally) -> bool:
    try:
        return tally.add(_FAILURES, 1) == 1
    except RuntimeError:  # the tally went with the process that kept it, which failed before
        return False
