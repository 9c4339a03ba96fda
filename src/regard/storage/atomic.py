"""Folders written in one piece: complete and on the disk, or not there at all.

A folder is made under a draft name beside its place, every file and folder in it is flushed to the
disk, and one rename puts it in its place. A reader never meets half a folder, whenever the writer
dies; what a dead writer leaves behind is a draft, which :func:`sweep` removes.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

DRAFT = ".draft-"
"""How the names of unfinished and of doomed folders begin."""


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A draft to fill, which becomes ``target`` when the block ends without an error.

    Args:
        target: a name that is not taken, in a folder that exists.

    Raises:
        OSError: the disk is full, the folder is read-only, the name is taken; no trace is left.
    """
    draft = _draft_name(target)
    try:
        draft.mkdir()
        yield draft
        sync_tree(draft)
        draft.rename(target)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    sync(target.parent)


def discard(folder: Path) -> None:
    """Delete ``folder``; whoever looks on finds it whole or not at all."""
    doomed = _draft_name(folder)
    folder.rename(doomed)
    shutil.rmtree(doomed)


def sweep(parent: Path) -> None:
    """Delete the drafts in ``parent``. Only for one who knows that nobody is writing there."""
    for draft in parent.glob(f"{DRAFT}*"):
        if draft.is_dir() and not draft.is_symlink():
            shutil.rmtree(draft)


def write_file(path: Path, data: bytes) -> None:
    """Write a new file. One call of the system may take only a part of ``data``: ask again."""
    rest = memoryview(data)
    with path.open("xb", buffering=0) as file:
        while rest:
            rest = rest[file.write(rest) :]


def sync_tree(folder: Path) -> None:
    """Wait until every file and folder under ``folder``, and itself, is on the disk."""
    for path in sorted(folder.rglob("*")):
        sync(path)
    sync(folder)


def sync(path: Path) -> None:
    """Wait until a file's contents, or a folder's list of names, are on the disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _draft_name(folder: Path) -> Path:
    return folder.with_name(f"{DRAFT}{folder.name}-{token_hex(4)}")
