"""Alignments as files: PNG, SVG or a page, by the end of the name."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import InputError
from ..files import write

if TYPE_CHECKING:
    from ...lens.alignments import AlignmentView

ENDS = (".png", ".svg", ".html")


def require_end(path: Path, option: str) -> None:
    """Refuse a name that does not say what kind of file it is.

    Raises:
        InputError: it ends in none of ``ENDS``.
    """
    if path.suffix.lower() not in ENDS:
        raise InputError(f"{option} needs a name that ends in .png, .svg or .html, got '{path}'")


def write_picture(path: Path, views: "Sequence[AlignmentView]") -> None:
    """Draw views into a file; letters that no font of this machine has are named on stderr.

    Raises:
        InputError: the file cannot be written.
        MissingExtraError: matplotlib is not installed.
    """
    from ...lens.alignments import html, picture

    end = path.suffix.lower()
    if end == ".html":
        content = html(views).encode()
    else:
        content = picture(views, "svg" if end == ".svg" else "png")
        _name_missing(views)
    write(path, lambda file: file.write(content))


def _name_missing(views: "Sequence[AlignmentView]") -> None:
    from ...lens.alignments.words import printable
    from ...lens.plots.fonts import lacking

    words = {printable(word) for view in views for word in (*view.source, *view.target)}
    letters = sorted(lacking(words))
    if letters:
        some = " ".join(letters[:8]) + (" …" if len(letters) > 8 else "")
        print(
            f"no font here has {some}: boxes stand in their place; install one, such as Noto, or "
            "write .html, which the browser's fonts draw",
            file=sys.stderr,
        )
