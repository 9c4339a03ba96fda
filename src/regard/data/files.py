"""Files written in one piece: complete, or not at all."""

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import mkstemp
from typing import IO

from regard.errors import InputError


def write_whole(path: Path, fill: Callable[[IO[bytes]], object]) -> None:
    """Fill a new file beside ``path``, then put it in its place in one move.

    Args:
        path: where to; a file that is there is replaced.
        fill: writes the contents.

    Raises:
        InputError: the folder is not there, is full or may not be written to.
    """
    try:
        number, name = mkstemp(dir=path.parent, prefix=f".{path.name}.")
        draft = Path(name)
        try:
            with os.fdopen(number, "wb") as file:
                fill(file)
                file.flush()
                os.fsync(file.fileno())
            draft.chmod(0o666 & ~_umask())
            draft.replace(path)
        except BaseException:
            draft.unlink()
            raise
    except OSError as error:
        raise InputError(f"{path}: cannot be written, {error.strerror or error}") from None


def _umask() -> int:
    """The rights that new files do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
