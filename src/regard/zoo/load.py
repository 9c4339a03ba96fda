"""A trained model, ready to be used, of whatever task; nothing of training is imported."""

from pathlib import Path
from typing import Any

from ..storage.run_folder import read_best
from ..storage.stored_model import read_model
from ..types import PathLike
from .shelf import ZOO


def load(model: PathLike | None = None, *, device: str = "cpu") -> Any:
    """The predictor of a trained model: what translates, tags, classifies, … with it.

    >>> translator = regard.load("en-fr-transformer")
    >>> translator.translate(["The black cat ate the mouse."])[0].text
    'Le chat noir a mangé la souris.'

    Args:
        model: the name of one that comes with ``regard[zoo]``, or the folder of a run, whose best
            or else last checkpoint is taken, of a checkpoint, or of a packed model. The usual
            translator if not given.
        device: where it is to compute.

    Raises:
        ChoiceError: neither a folder nor a name.
        MissingExtraError: a name, and ``regard-zoo`` is not installed.
        DamagedError: a file is missing, cut short or changed; the message names it.
        StorageError: there is no checkpoint, or another version of regard wrote it.
    """
    return load_folder(ZOO.find(model), device)


def load_folder(folder: Path, device: str = "cpu") -> Any:
    """The predictor of the model in a folder; see :func:`load`."""
    return read_best(folder, read_model).predictor(device)
