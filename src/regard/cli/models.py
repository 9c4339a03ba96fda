"""Translators by what the command line calls them."""

from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import RegardError

if TYPE_CHECKING:
    from regard.tasks.translation.predictor import Translator


def translator(name: str | None, device: str) -> "Translator":
    """The translator in a folder, or one of the zoo by its name; the usual one without a name.

    Raises:
        ChoiceError: neither a folder nor a name, or it was not trained to translate.
        MissingExtraError: a name, and ``regard-zoo`` is not installed.
        DamagedError: a file is missing, cut short or changed; the message names it.
        StorageError: there is no checkpoint in the folder.
    """
    from regard.tasks.translation.predictor import load_translator

    return load_translator(folder_of(name), device=device)


def folder_of(name: str | None, option: str = "--model") -> Path:
    """The folder of a translator: one that is named, or that of one of the zoo.

    Args:
        name: a folder or a name; the usual one if not given.
        option: where it was said.

    Raises:
        ChoiceError: neither a folder nor a name.
        MissingExtraError: a name, and ``regard-zoo`` is not installed.
    """
    from ..zoo import ZOO

    return ZOO.find(name, asked=option)


def name_of(name: str | None) -> str:
    """What a translator is called: as it was named, or the name of the usual one."""
    from ..zoo import ZOO

    return ZOO.default if name is None else name


def translates(name: str) -> bool:
    """Whether a model is a translator, as far as its folder tells without being loaded."""
    from ..lens.foreign.folder import is_folder
    from ..storage.run_folder import read_best
    from ..storage.stored_model import read_model
    from ..zoo import ZOO

    if is_folder(Path(name)):
        return False
    try:
        return bool(read_best(ZOO.find(name), read_model).task["kind"] == "translation")
    except RegardError:
        return True  # who loads it says what is wrong
