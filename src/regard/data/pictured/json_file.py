"""A file of JSON, plain or gzip."""

from pathlib import Path
from typing import Any

from regard.errors import InputError
from regard.json_text import parsed

from ..pairs.lines import lines, name_of

LONGEST = 2**31 - 1
"""Bytes of a line: some write all in one."""


def json_of(path: Path | str) -> Any:
    """What a file holds.

    Raises:
        InputError: it cannot be read, or is no JSON.
    """
    text = "\n".join(line.text for line in lines(path, longest=LONGEST))
    try:
        return parsed(text)
    except ValueError as error:
        raise InputError(f"{name_of(path)}: needs to be JSON, {error}") from None
