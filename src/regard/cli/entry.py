"""Where the shell enters: one sentence where the packages of the command line are missing."""

import sys
from collections.abc import Sequence

from ..errors import MissingExtraError
from ..extras import need

MISTAKE = 2
"""As :class:`regard.cli.app.Exit` has it."""


def main(tokens: Sequence[str] | None = None) -> int:
    """Run ``regard`` with ``tokens``, by default those of the shell, and return its exit code."""
    try:
        for package in ("cyclopts", "rich"):
            need(package, "the command line")
    except MissingExtraError as error:
        print(f"regard: {error}", file=sys.stderr)
        return MISTAKE
    from .app import main

    return main(tokens)
