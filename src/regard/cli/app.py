"""The command ``regard`` itself: parses, finds the command, shows help pages, and how it ends."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from enum import IntEnum
from types import FrameType
from typing import TYPE_CHECKING, Any

from cyclopts import App, CycloptsError, Parameter
from cyclopts.help import DefaultFormatter

from .. import __version__
from ..errors import MissingExtraError, RegardError
from ..extras import extra_of
from .commands import COMMANDS, ROOT_EXAMPLES, Command, epilogue
from .console import plain

if TYPE_CHECKING:
    from cyclopts.help import HelpPanel
    from rich.console import Console, ConsoleOptions


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


SPINS = 1000
"""Looks at a flag before a thread goes to sleep: what GNU OpenMP itself takes where there are more
threads than processors. Its 300,000 otherwise are milliseconds, in which a thread keeps the core
from the very one it waits for as soon as the machine has something else to do."""

DECISIONS = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")


def wait_asleep(environment: MutableMapping[str, str] = os.environ) -> None:
    """Let waiting threads go to sleep early, unless the user has decided how they wait.

    OpenMP reads its settings when torch loads it: later it is too late. Children inherit them.
    """
    if "torch" not in sys.modules and not any(name in environment for name in DECISIONS):
        environment["GOMP_SPINCOUNT"] = str(SPINS)


class Flowing(DefaultFormatter):
    """Fills lines anew where docstrings were wrapped for the source code."""

    def __call__(self, console: "Console", options: "ConsoleOptions", panel: "HelpPanel") -> None:
        """The options of a group."""
        for entry in panel.entries:
            _flow(entry.description)
        super().__call__(console, options, panel)

    def render_description(
        self, console: "Console", options: "ConsoleOptions", description: Any
    ) -> None:
        """The text of a command."""
        _flow(description)
        super().render_description(console, options, description)


def told_default(value: object) -> str | None:
    """A default as text; none where it says no more than that nothing was given."""
    return None if value is None or value is False or value == () else str(value)


PLAIN = Parameter(negative=(), show_default=told_default)
"""Of every option: only the form that does something."""


def flowing(text: str) -> str:
    """Paragraphs without line breaks inside; lines that are moved in stay as they are."""
    paragraphs = text.strip("\n").split("\n\n")
    return "\n\n".join(
        part if part.startswith(" ") else " ".join(part.split()) for part in paragraphs
    )


def _flow(text: Any) -> None:
    """Change a text of cyclopts, where it is plain text."""
    from rich.text import Text

    inner = getattr(text, "primary_renderable", None)
    if isinstance(inner, Text):
        text.primary_renderable = Text(flowing(inner.plain), end=inner.end)


COMPLETION = "--install-completion"
ROOT_FLAGS = ("--help", "-h", "--version", COMPLETION)


class StandardInput(str):
    """The word ``-``: a file like any other, though the parser looks for an option behind ``-``."""

    __slots__ = ()
    NAME = "-"

    def startswith(self, *_: Any) -> bool:
        """No: it does not begin an option."""
        return False


def main(tokens: Sequence[str] | None = None) -> int:
    """Run ``regard`` with ``tokens``, by default those of the shell, and return its exit code."""
    words = list(sys.argv[1:] if tokens is None else tokens)
    wait_asleep()
    return guarded(lambda: run(words))


def run(words: Sequence[str]) -> int:
    """Run the command named by the first word.

    Raises:
        ChoiceError: there is no such command.
    """
    if words and words[0] == "version":
        words = ["--version"]
    if words and words[0] not in ROOT_FLAGS:
        # An unknown one is told here: the parser would import every command to suggest one.
        words = [words[0], *COMMANDS[words[0]].today(words[1:])]
    app = app_for(words)
    said = [StandardInput(word) if word == StandardInput.NAME else word for word in words]
    result = app(said, exit_on_error=False, print_error=False, result_action="return_value")
    return result if isinstance(result, int) else Exit.DONE


def app_for(words: Sequence[str]) -> App:
    """The app, with every command registered by import string and none imported.

    A summary given here would hide the docstring of the command on its own help page, so the
    command which ``words`` ask for gets none.
    """
    app = App(
        name="regard",
        help="Attention you can build, measure and look at.",
        version=f"regard {__version__}",
        help_format="plaintext",
        version_format="plaintext",
        help_epilogue=epilogue(ROOT_EXAMPLES),
        help_formatter=Flowing(),
        default_parameter=PLAIN,
        suppress_keyboard_interrupt=False,
    )
    for name in COMMANDS:
        command = COMMANDS[name]
        if name in words[:1] or words[:1] == [COMPLETION]:  # the shell is told of all flags
            _register(app, command, words[1:])
        else:
            app.command(
                command.target,
                name=name,
                help=command.summary,
                help_epilogue=epilogue(command.examples),
            )
    app.register_install_completion_command(COMPLETION, group="Shell")
    return app


def _register(app: App, command: Command, words: Sequence[str]) -> None:
    """Add a command that is about to be used."""
    function = command.function(words)
    end = epilogue(getattr(function, "examples", command.examples))
    if isinstance(function, App):  # it has commands of its own
        function.help_epilogue = end
        app.command(function, name=command.name)
    else:
        app.command(function, name=command.name, help_epilogue=end)
