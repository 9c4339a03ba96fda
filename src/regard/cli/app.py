"""The command ``regard`` itself: parses, finds the command, turns mistakes into exit codes."""

import sys
from collections.abc import Sequence
from typing import Any

from cyclopts import App

from .. import __version__
from .commands import COMMANDS, ROOT_EXAMPLES, Command, epilogue
from .exits import Exit, guarded
from .help import PLAIN, Flowing
from .waiting import wait_asleep

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
    function, end = command.function(words), epilogue(command.examples)
    if isinstance(function, App):  # it has commands of its own
        function.help_epilogue = end
        app.command(function, name=command.name)
    else:
        app.command(function, name=command.name, help_epilogue=end)
