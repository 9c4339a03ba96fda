"""The command ``regard`` itself: parses, finds the command, shows help pages."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cyclopts import App, Parameter
from cyclopts.help import DefaultFormatter

from .. import __version__
from .commands import COMMANDS, ROOT_EXAMPLES, Command, epilogue
from .exits import Exit, guarded

if TYPE_CHECKING:
    from cyclopts.help import HelpPanel
    from rich.console import Console, ConsoleOptions

import os
from collections.abc import MutableMapping

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
    function, end = command.function(words), epilogue(command.examples)
    if isinstance(function, App):  # it has commands of its own
        function.help_epilogue = end
        app.command(function, name=command.name)
    else:
        app.command(function, name=command.name, help_epilogue=end)
