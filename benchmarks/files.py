"""Write the results so that a reader never finds half a file."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from regard.errors import InputError


def write_atomically(path: Path, content: bytes) -> Path:
    """Write beside ``path``, then put it in place in one move."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        part.chmod(0o644)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return path


def write_json(path: Path, data: dict[str, Any]) -> Path:
    """``data`` as indented JSON."""
    text = json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False)
    return write_atomically(path, (text + "\n").encode())


def results_folder(folder: Path) -> Path:
    """``folder``, made if it is not there; asked for before the hours of measuring.

    Raises:
        InputError: it is a file, or may not be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(
            f"bench needs a folder it can write to, got {folder} ({error.strerror}); "
            "name another with --out"
        ) from error
    return folder
