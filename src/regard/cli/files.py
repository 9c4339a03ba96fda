"""Files that a command writes."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO

from ..data.files import write_whole


def write(path: Path, fill: Callable[[IO[bytes]], object]) -> None:
    """Write a file as :func:`regard.data.files.write_whole` does, and say so on stderr."""
    write_whole(path, fill)
    print(f"wrote {path}", file=sys.stderr)
