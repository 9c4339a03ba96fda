"""Where what we say is printed: brackets and colons in names and paths are no markup."""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

WIDTH_OF_A_FILE = 180
"""Columns where there is no terminal to ask; our tables are wide."""


def plain(**options: Any) -> "Console":
    """A console that prints every text as it is.

    Args:
        options: of :class:`rich.console.Console`.
    """
    from rich.console import Console

    return Console(markup=False, emoji=False, **options)


def for_tables(*, stderr: bool = False) -> "Console":
    """A console on stdout or stderr, as wide as its terminal, or as our tables without one."""
    console = plain(stderr=stderr)
    return console if console.is_terminal else plain(stderr=stderr, width=WIDTH_OF_A_FILE)


def speak_utf8() -> None:
    """Write UTF-8 whatever the locale says, as it is read."""
    change = getattr(sys.stdout, "reconfigure", None)
    if change is not None:
        change(encoding="utf-8", errors="replace")
