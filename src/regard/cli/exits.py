"""How a command ends: exit codes, and mistakes as one red line on stderr."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from types import FrameType

from cyclopts import CycloptsError

from ..errors import MissingExtraError, RegardError
from ..extras import extra_of
from .console import plain


class Exit(IntEnum):
    """The exit codes all commands share; 1 is left to what a command itself calls a failure."""

    DONE = 0
    MISTAKE = 2
    """Bad usage or bad input: what was needed, what came, what to do."""
    HUNG_UP = 129
    """The terminal was closed, as the shell counts it: 128 + SIGHUP."""
    INTERRUPTED = 130
    """Control-C: 128 + SIGINT."""
    BROKEN_PIPE = 141
    """The reader of our output left, as in ``regard … | head``: 128 + SIGPIPE."""
    TERMINATED = 143
    """Somebody asked for it by ``kill``: 128 + SIGTERM."""


def guarded(run: Callable[[], int]) -> int:
    """The exit code of ``run``, with every mistake a user can make told in one line."""
    if sys.stdout is None:
        complain(
            "stdout is closed, and there is something to print: send it to a file or /dev/null"
        )
        return Exit.MISTAKE
    try:
        code = run()
        sys.stdout.flush()
    except (CycloptsError, RegardError) as error:
        complain(str(error))
        return Exit.MISTAKE
    except ModuleNotFoundError as error:
        if (extra := extra_of(error)) is None:
            raise
        complain(str(MissingExtraError("this command", extra)))
        return Exit.MISTAKE
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except BrokenPipeError:
        _silence_stdout()
        return Exit.BROKEN_PIPE
    except OSError as error:  # a full disk behind stdout, most of all
        _silence_stdout()
        complain(f"{error.filename or 'stdout'}: {error.strerror or error}")
        return Exit.MISTAKE
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):  # rich ends with 1 on a broken pipe
            return Exit.BROKEN_PIPE
        raise
    return code


@contextmanager
def cleaned_up() -> Iterator[None]:
    """Inside the block SIGTERM and SIGHUP end the command as Control-C does: nothing half-made is
    left. Signals that are ignored stay so, as ``nohup`` asks for."""
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():
        numbers = []
    heard = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, _end) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def complain(message: str) -> None:
    """Print ``regard: message`` on stderr, in one line, red on a terminal."""
    from rich.text import Text

    line = Text(f"regard: {' '.join(message.split())}", style="red")
    plain(stderr=True).print(line, soft_wrap=True)


def _silence_stdout() -> None:
    """Let the interpreter flush what is left at exit without a second BrokenPipeError."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
