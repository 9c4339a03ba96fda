"""Files written in one piece: complete, or not at all."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import mkstemp
from typing import IO

from ..errors import InputError


def write(path: Path, fill: Callable[[IO[bytes]], object]) -> None:
    """Fill a new file beside ``path``, put it in its place once complete, and say so on stderr.

    Args:
        path: where to; a file that is there is replaced.
        fill: writes the contents.

    Raises:
        InputError: the folder is not there or may not be written to.
    """
    try:
        number, name = mkstemp(dir=path.parent, prefix=f".{path.name}.")
        draft = Path(name)
        try:
            with os.fdopen(number, "wb") as file:
                fill(file)
            draft.chmod(0o666 & ~_umask())
            draft.replace(path)
        except BaseException:
            draft.unlink()
            raise
    except OSError as error:
        raise InputError(f"{path}: cannot be written, {error.strerror or error}") from None
    print(f"wrote {path}", file=sys.stderr)


def _umask() -> int:
    """The rights that new files do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
