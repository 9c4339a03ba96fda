"""Files that a command writes."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ..data.files import write_whole
from ..errors import InputError

if TYPE_CHECKING:
    from ..lens.alignments import AlignmentView

ENDS = (".png", ".svg", ".html")
"""Pictures that a command draws, by the end of their names."""


def write(path: Path, fill: Callable[[IO[bytes]], object]) -> None:
    """Write a file as :func:`regard.data.files.write_whole` does, and say so on stderr."""
    write_whole(path, fill)
    print(f"wrote {path}", file=sys.stderr)


def require_end(path: Path, option: str) -> None:
    """Refuse a name that does not say what kind of file it is.

    Raises:
        InputError: it ends in none of ``ENDS``.
    """
    if path.suffix.lower() not in ENDS:
        raise InputError(f"{option} needs a name that ends in .png, .svg or .html, got '{path}'")


def name_missing(views: "Sequence[AlignmentView]") -> None:
    """Name letters that no font here has on stderr."""
    from ..lens.plots.fonts import lacking
    from ..lens.words import printable

    words = {printable(word) for view in views for word in (*view.source, *view.target)}
    letters = sorted(lacking(words))
    if letters:
        some = " ".join(letters[:8]) + (" …" if len(letters) > 8 else "")
        print(
            f"no font here has {some}: boxes stand in their place; install one, such as Noto, or "
            "write .html, which the browser's fonts draw",
            file=sys.stderr,
        )
