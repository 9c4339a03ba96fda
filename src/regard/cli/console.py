"""Where tables are printed."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

WIDTH_OF_A_FILE = 180
"""Columns where there is no terminal to ask; our tables are wide."""


def for_tables(*, stderr: bool = False) -> "Console":
    """A console on stdout or stderr, as wide as its terminal, or as our tables without one."""
    from rich.console import Console

    console = Console(stderr=stderr)
    return console if console.is_terminal else Console(stderr=stderr, width=WIDTH_OF_A_FILE)
