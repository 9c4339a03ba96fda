"""What the examining commands share: a model, and batches of text that it reads."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputError

if TYPE_CHECKING:
    from torch import nn

    from ..lens.scene import Scene


LINES = ("translation", "text-generation", "fill-mask")
"""Tasks whose files hold a text, or a pair, per line."""
PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif")
"""What pictures in a folder are called."""
FEATURES = "features"
"""The kind of a model that predicts nothing."""


class Examined(NamedTuple):
    """A trained model and what it is examined on."""

    model: "nn.Module"
    scenes: "list[Scene]"
    kind: str


def examined(
    name: str, lines: Iterable[str] | None, device: str = "cpu", *, most: int = 128
) -> Examined:
    """The model of a name or folder, and lines as its task, or its own tokeniser, reads them.

    Args:
        name: of the zoo, or a folder.
        lines: of text; if not given, the files that a run was validated on or learned from, where
            they still are, or else sentences of our grammar.
        device: where to compute.
        most: lines of such a file.

    Raises:
        ChoiceError: neither a folder nor a name, or a task whose models are not examined on text.
        MissingExtraError: a folder of transformers, which is not installed.
        InputError: a folder of transformers without a model or a tokeniser.
    """
    from ..lens.foreign.folder import is_folder

    if is_folder(Path(name)):
        return _foreign(Path(name), lines, device)
    from ..storage.run_folder import read_best
    from ..storage.stored_model import read_model
    from ..tasks.scenes import scenes_of
    from .models import folder_of

    found = read_best(folder_of(name), read_model)
    predictor = found.predictor(device)
    kind = found.task["kind"]
    if lines is None:
        lines = _own_lines(found.task, most)
    return Examined(predictor.model, scenes_of(kind, predictor, lines), kind)


def _own_lines(task: dict[str, Any], most: int) -> list[str] | None:
    """Lines of the first file of a run's data that is there."""
    data = task.get("data") or {}
    files = [*(data.get("valid") or ()), *(data.get("train") or ())]
    if task["kind"] not in LINES:
        return None
    there = next((file for file in files if Path(file).is_file()), None)
    return None if there is None else lines_of(there, most)


def _foreign(path: Path, lines: Iterable[str] | None, device: str) -> Examined:
    """The model in a folder of transformers."""
    from ..lens.foreign.folder import read_folder
    from ..tasks.foreign import foreign_scenes, predicts

    found = read_folder(path)
    found.model.to(device)
    kind = "transformers" if predicts(found) else FEATURES
    return Examined(found.model, foreign_scenes(found, lines), kind)


def lines_of(path: str | None, most: int | None = None) -> list[str] | None:
    """The first lines of a file, plain or gzip, or the pictures of a folder; ``None`` for none.

    Raises:
        InputError: it cannot be read, or it is empty.
    """
    if path is None:
        return None
    if Path(path).is_dir():
        return [str(one) for one in sorted(Path(path).iterdir()) if one.suffix in PICTURES][:most]
    from ..data.pairs.lines import lines

    found = []
    for line in lines(path):
        if line.text.strip():
            found.append(line.text)
        if most is not None and len(found) >= most:
            break
    if not found:
        raise InputError(f"{path}: an examination needs at least one line, got none")
    return found


ENDS = (".json", ".html", ".png", ".svg", ".npy")
"""What an examination is written as, by the end of a file's name."""


def require_end(out: Path | None) -> None:
    """Refuse a name that does not say what kind of file it is, before the long work.

    Raises:
        InputError: it ends in none of ``ENDS``.
    """
    if out is not None and out.suffix.lower() not in ENDS:
        raise InputError(f"--out needs a name that ends in {', '.join(ENDS)}, got '{out}'")


def tell(found: Any, out: Path | None, *, as_json: bool) -> None:
    """Print it, or write it into a file of the kind that its name says."""
    from .console import plain
    from .files import write

    if out is not None:
        content = _content(found, out.suffix.lower())
        write(out, lambda file: file.write(content))
    if as_json:
        print(json.dumps(found.to_json(), ensure_ascii=False))
    elif out is None:
        plain().print(found)


def _content(found: Any, end: str) -> bytes:
    if end == ".json":
        return json.dumps(found.to_json(), ensure_ascii=False).encode() + b"\n"
    if end == ".html":
        return PAGE.format(found._repr_html_()).encode()
    if end == ".npy":
        if not hasattr(found, "sheet"):
            raise InputError("findings are no array of numbers; write .json, .html, .png or .svg")
        return bytes(found.sheet.npy())
    from io import BytesIO

    from ..lens.plots.style import save

    file = BytesIO()
    drawn = found.sheet if hasattr(found, "sheet") else found
    save(drawn.figure(), file, end[1:])
    return file.getvalue()


PAGE = (
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    '<meta name="color-scheme" content="light dark">\n<title>regard</title>\n'
    "<style>body {{ font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem }}\n"
    "table {{ border-collapse: collapse }} td, th {{ vertical-align: top; "
    "border-bottom: 1px solid #8884 }}</style>\n"
    "</head>\n<body>\n{}\n</body>\n</html>\n"
)
"""A page that stands alone: no script, nothing fetched."""
