"""Views as they leave ``regard show``: drawn in the terminal, or in files of five kinds."""

import json
import sys
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from ...errors import InputError
from ..console import plain
from ..files import name_missing, write

ENDS = (".png", ".svg", ".html", ".json", ".npy")


def require_file(path: Path) -> None:
    """Refuse a name that does not say what kind of file it is.

    Raises:
        InputError: it ends in none of ``ENDS``.
    """
    if path.suffix.lower() not in ENDS:
        raise InputError(
            f"--out needs a name that ends in .png, .svg, .html, .json or .npy, got '{path}'"
        )


def write_views(path: Path, views: Sequence[Any]) -> None:
    """Write views into a file of the kind that its name says.

    Raises:
        InputError: the file cannot be written.
        MissingExtraError: matplotlib is not installed.
    """
    end = path.suffix.lower()
    if end == ".json":
        content = (json.dumps([_data(view) for view in views], ensure_ascii=False) + "\n").encode()
    elif end == ".npy":
        content = _array(views)
    elif end == ".html":
        content = _page(views).encode()
    else:
        content = _picture(views, end[1:])
    write(path, lambda file: file.write(content))


def print_views(views: Sequence[Any], *, running: bool = False) -> None:
    """Draw views in the terminal.

    Args:
        views: of one kind.
        running: whether they are texts, to be read as such.
    """
    from ...lens.alignments import AlignmentView, beside
    from ...lens.pictures import PictureView, terminal

    console = plain(file=sys.stdout)
    if all(isinstance(view, AlignmentView) for view in views):
        console.print(_shaded(views) if running else beside(views))
    elif all(isinstance(view, PictureView) for view in views):
        console.print(terminal(views))
    else:
        for view in views:
            console.print(view)


def _shaded(views: Sequence[Any]) -> Any:
    from rich.console import Group

    from ...lens.running_text import shaded

    return Group(*(shaded(view.source, view.rows[0], title=view.title) for view in views))


def _data(view: Any) -> Any:
    """A view as plain data."""
    return view.to_dict() if hasattr(view, "to_dict") else view.to_json()


def _array(views: Sequence[Any]) -> bytes:
    import numpy as np

    from ...lens.views import array

    file = BytesIO()
    np.save(file, array(views), allow_pickle=False)
    return file.getvalue()


def _page(views: Sequence[Any]) -> str:
    from ...lens import alignments, pictures

    if isinstance(views[0], alignments.AlignmentView):
        return alignments.html(views)
    if isinstance(views[0], pictures.PictureView):
        return pictures.html(views)
    page: str = views[0].to_html()
    return page


def _picture(views: Sequence[Any], kind: Any) -> bytes:
    from ...lens import alignments, pictures

    if isinstance(views[0], alignments.AlignmentView):
        name_missing(views)
        return alignments.picture(views, kind)
    if isinstance(views[0], pictures.PictureView):
        return pictures.picture(views, kind)
    from ...lens.plots import heatmap
    from ...lens.plots.style import save

    file = BytesIO()
    save(heatmap(views[0].weights.float()), file, kind)
    return file.getvalue()
