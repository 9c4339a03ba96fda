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
    """The first lines of a file, plain or gzip; ``None`` for none.

    Raises:
        InputError: it cannot be read, or it is empty.
    """
    if path is None:
        return None
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


def tell(found: Any, out: Path | None, *, as_json: bool) -> None:
    """Print it, or write its JSON into a file."""
    from .console import plain
    from .files import write

    text = json.dumps(found.to_json(), ensure_ascii=False)
    if out is not None:
        write(out, lambda file: file.write(text.encode() + b"\n"))
    if as_json:
        print(text)
    elif out is None:
        plain().print(found)
