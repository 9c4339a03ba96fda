"""How a command ends: exit codes, and mistakes as one red line on stderr."""

import os
import sys
from collections.abc import Callable
from enum import IntEnum

from cyclopts import CycloptsError

from ..errors import RegardError


class Exit(IntEnum):
    """The exit codes all commands share; 1 is left to what a command itself calls a failure."""

    DONE = 0
    MISTAKE = 2
    """Bad usage or bad input: what was needed, what came, what to do."""
    INTERRUPTED = 130
    """Control-C, as the shell counts it: 128 + SIGINT."""
    BROKEN_PIPE = 141
    """The reader of our output left, as in ``regard … | head``: 128 + SIGPIPE."""


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


def complain(message: str) -> None:
    """Print ``regard: message`` on stderr, in one line, red on a terminal."""
    from rich.console import Console
    from rich.text import Text

    line = Text(f"regard: {' '.join(message.split())}", style="red")
    Console(stderr=True).print(line, soft_wrap=True)


def _silence_stdout() -> None:
    """Let the interpreter flush what is left at exit without a second BrokenPipeError."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
