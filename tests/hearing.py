"""Signals do what they do in a terminal, also where ``nohup`` or ``&`` have them ignored."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

DEFAULTS = {
    signal.SIGHUP: signal.SIG_DFL,
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGINT: signal.default_int_handler,
}


@contextmanager
def hearing() -> Iterator[None]:
    """Inside the block, and in every process that is forked there."""
    before = {number: signal.signal(number, action) for number, action in DEFAULTS.items()}
    try:
        yield
    finally:
        for number, action in before.items():
            signal.signal(number, action)
