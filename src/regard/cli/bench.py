"""``regard bench``: the door to ``benchmarks/``, which lies beside the package and not in it."""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..errors import InputError

HOMES = (Path(__file__).resolve().parents[3], Path())
"""Where a checkout may be: around an editable install, or the current folder."""


def away(*words: Annotated[str, Parameter(allow_leading_hyphen=True)]) -> int:
    """Measure regard beside its peers; needs a checkout.

    Raises:
        InputError: always.
    """
    raise InputError(
        "bench needs the folder benchmarks/ of regard's repository, which no package contains; "
        "run it in a checkout"
    )


def door() -> Callable[..., int]:
    """The command of the first checkout there is."""
    for home in HOMES:
        if (home / "benchmarks" / "command.py").is_file() and (home / "src" / "regard").is_dir():
            sys.path.insert(0, str(home.absolute()))
            return import_module("benchmarks.command").bench
    return away


bench = door()
