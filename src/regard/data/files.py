"""Atomic file writes."""

import os
from pathlib import Path
from tempfile import mkstemp

from regard.errors import InputError


def write_whole(path: Path, content: bytes) -> Path:
    """Write ``content`` beside ``path``, then put it in its place in one move.

    Raises:
        InputError: the folder is not there, is full or may not be written to.
    """
    try:
        number, name = mkstemp(dir=path.parent, prefix=f".{path.name}.")
        draft = Path(name)
        try:
            with os.fdopen(number, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            draft.chmod(0o644)
            draft.replace(path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(f"{path}: cannot be written, {error.strerror or error}") from None
    return path
