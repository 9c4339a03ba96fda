"""Signals that ask a run to end: it finishes its step, saves, and goes."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interruption:
    """Whether the run was asked to end, and by which signal."""

    def __init__(self) -> None:
        self.signal: signal.Signals | None = None

    def __bool__(self) -> bool:
        return self.signal is not None

    def take(self, number: int, frame: FrameType | None = None) -> None:
        """Note a signal; the second one ends the process as if nothing had been arranged.

        Raises:
            KeyboardInterrupt: this is the second.
        """
        if self.signal is not None:
            raise KeyboardInterrupt
        self.signal = signal.Signals(number)


@contextmanager
def awaited() -> Iterator[Interruption]:
    """Inside the block, signals to end are noted instead of obeyed.

    Only the main thread can do so; in another one, nothing is ever noted.
    """
    noted = Interruption()
    if threading.current_thread() is not threading.main_thread():
        yield noted
        return
    before = {number: signal.signal(number, noted.take) for number in SIGNALS}
    try:
        yield noted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
