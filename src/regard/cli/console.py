"""Where tables are printed."""

from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

WIDTH_OF_A_FILE = 180
"""Columns where there is no terminal to ask; our tables are wide."""


def for_tables(file: IO[str]) -> "Console":
    """A console as wide as its terminal, or as our tables if ``file`` is none."""
    from rich.console import Console

    console = Console(file=file)
    return console if console.is_terminal else Console(file=file, width=WIDTH_OF_A_FILE)
