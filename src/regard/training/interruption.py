"""Signals that ask a run to end: it finishes its step, saves, and goes."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from .observer import Ending

ENDINGS: dict[signal.Signals, Ending] = {
    signal.SIGINT: "interrupted",
    signal.SIGTERM: "terminated",
}
"""What each signal ends a run as."""
if hasattr(signal, "SIGHUP"):  # the terminal was closed
    ENDINGS[signal.SIGHUP] = "hung up"


class Interruption:
    """Whether the run was asked to end, and by which signal."""

    def __init__(self) -> None:
        self.signal: signal.Signals | None = None

    def __bool__(self) -> bool:
        return self.signal is not None

    @property
    def ending(self) -> Ending | None:
        """What the run ends as; ``None`` if it was not asked to end."""
        return None if self.signal is None else ENDINGS[self.signal]

    def take(self, number: int, frame: FrameType | None = None) -> None:
        """Note a signal; the second one ends the process as if nothing had been arranged.

        Raises:
            KeyboardInterrupt: this is the second, and Control-C.
            SystemExit: this is the second.
        """
        if self.signal is None:
            self.signal = signal.Signals(number)
        elif number == signal.SIGINT:
            raise KeyboardInterrupt
        else:
            raise SystemExit(128 + number)


@contextmanager
def awaited() -> Iterator[Interruption]:
    """Inside the block, signals to end are noted instead of obeyed.

    Those that are ignored stay so, as ``nohup`` asks for. Only the main thread can do so; in
    another one, nothing is ever noted.
    """
    noted = Interruption()
    if threading.current_thread() is not threading.main_thread():
        yield noted
        return
    heard = [one for one in ENDINGS if signal.getsignal(one) is not signal.SIG_IGN]
    before = {number: signal.signal(number, noted.take) for number in heard}
    try:
        yield noted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
