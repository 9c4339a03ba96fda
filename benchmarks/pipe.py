"""The far end of the pipe: what programs in the environments of peers share.

regard is not installed there, and nothing here may import it.
"""

import json
import os
import resource
import sys
from importlib.metadata import version
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

Lines = TextIOWrapper | StringIO


def opened() -> tuple[Lines, Lines]:
    """Where orders come from, and where answers go; what else is printed goes to stderr."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return os.fdopen(sys.stdin.fileno(), encoding="utf-8", closefd=False), answers


def say(answers: Lines, data: dict[str, Any]) -> None:
    """A line of JSON."""
    answers.write(json.dumps(data) + "\n")
    answers.flush()


def fields(arguments: list[str]) -> dict[str, Any]:
    """The job in the first argument."""
    data = json.loads(arguments[0])
    return {**data, "folder": Path(data["folder"])}


def peak_bytes() -> int:
    """The most memory of this process so far."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def versions(*packages: str) -> dict[str, str]:
    """What is installed of them."""
    return {package: version(package) for package in packages}
