"""How help pages look: paragraphs flow into the width of the terminal, nothing odd is told."""

from typing import TYPE_CHECKING, Any

from cyclopts import Parameter
from cyclopts.help import DefaultFormatter

if TYPE_CHECKING:
    from cyclopts.help import HelpPanel
    from rich.console import Console, ConsoleOptions


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
